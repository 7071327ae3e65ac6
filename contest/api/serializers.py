"""What the API answers: one shape per noun. The OpenAPI document is generated from these."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers as s

from contest.api.verdict_serializers import ProblemKindShape, ProblemShape, RemarkShape
from contest.models import Attack, AttackRun, Entry, HouseOrder, Job, Phase
from contest.models.round import Feedback
from datasets.messages import english

Shape = s.Serializer[Any]


class Words(s.CharField):
    """A message in English, whatever language was asked for: programs compare it."""

    def to_representation(self, value: Any) -> str:
        return english(value)


class Code(s.CharField):
    """The code of a message; empty where there is none, as in rows of version 0.1."""

    def to_representation(self, value: Any) -> str:
        return str(value["code"]) if isinstance(value, Mapping) else ""


class TeamRef(Shape):
    id = s.IntegerField(source="pk")
    name = s.CharField()


class PhaseShape(Shape):
    kind = s.ChoiceField(Phase.Kind.choices)
    starts_at = s.DateTimeField()
    ends_at = s.DateTimeField()
    is_open = s.BooleanField()


class OpenPhaseShape(PhaseShape):
    round = s.SlugField(source="round.slug")


class ContestShape(Shape):
    slug = s.SlugField(source="contest.slug")
    title = s.CharField(source="contest.title")
    summary = s.CharField(source="contest.summary")
    time_zone = s.CharField(source="contest.time_zone")
    is_public = s.BooleanField(source="contest.is_public")
    n_teams = s.IntegerField()
    open_phase = OpenPhaseShape(source="phase", allow_null=True)


class RoundRef(Shape):
    slug = s.SlugField()
    name = s.CharField()
    weight = s.FloatField()
    phases = PhaseShape(source="phases.all", many=True)


class TrackShape(Shape):
    name = s.CharField()
    title = s.CharField()
    title_ja = s.CharField()


class ContestDetailShape(Shape):
    slug = s.SlugField()
    title = s.CharField()
    summary = s.CharField()
    description = s.CharField(help_text="Markdown.")
    time_zone = s.CharField()
    is_public = s.BooleanField()
    max_team_size = s.IntegerField()
    min_team_size = s.IntegerField(help_text="A smaller team hands nothing in.")
    registration_opens = s.DateTimeField(allow_null=True)
    registration_closes = s.DateTimeField(allow_null=True)
    registration = s.ChoiceField(
        ["before", "open", "after"], help_text="Outside of `open`, only organisers change who is in a team."
    )
    tracks = TrackShape(many=True, help_text="The divisions of its teams; a team is in one of them.")
    rounds = RoundRef(many=True)
    my_team = TeamRef(allow_null=True)
    can_organise = s.BooleanField()


class AnnouncementShape(Shape):
    id = s.IntegerField(source="pk", read_only=True)
    title = s.CharField(max_length=120)
    body = s.CharField(max_length=5000, required=False, allow_blank=True, default="", help_text="Markdown.")
    by_mail = s.BooleanField(default=False, help_text="Sent by e-mail too, to the members of all teams.")
    published_at = s.DateTimeField(read_only=True)


class EventShape(Shape):
    id = s.IntegerField()
    at = s.DateTimeField()
    kind = s.CharField()
    round = s.SlugField(allow_null=True)
    facts = s.DictField()


class FeedShape(Shape):
    events = EventShape(many=True)
    after = s.IntegerField(help_text="Ask with this next time.")
    more = s.BooleanField(help_text="There is more to read at once.")


class AttemptsShape(Shape):
    per_day = s.IntegerField()
    left_today = s.IntegerField()
    in_total = s.IntegerField()
    left_total = s.IntegerField()
    resets_at = s.DateTimeField()


class MeasureShape(Shape):
    name = s.CharField()
    title = s.CharField()
    value = s.FloatField()
    limit = s.FloatField()
    unit = s.CharField()
    ok = s.BooleanField()


class BoardRowShape(Shape):
    rank = s.IntegerField(
        allow_null=True, help_text="Null before the attacks are counted, and for the house without a place."
    )
    total = s.FloatField(allow_null=True)
    verdict = s.CharField(help_text="What puts the entry behind all others, such as “shot down”, or nothing.")
    team = s.CharField(source="team_name")
    is_house = s.BooleanField()
    is_mine = s.BooleanField()
    entry_id = s.IntegerField()
    entry_number = s.IntegerField()
    utility = s.FloatField()
    safety = s.FloatField(allow_null=True)
    hits = s.IntegerField(allow_null=True)
    n_people = s.IntegerField()
    strongest_attack = s.CharField()
    received_at = s.DateTimeField()
    measures = MeasureShape(many=True)
    track = s.CharField(help_text="The name of the team's track, or nothing.")
    track_place = s.IntegerField(allow_null=True, help_text="Its place within its track.")


class EntryRef(Shape):
    id = s.IntegerField(source="pk")
    number = s.IntegerField()
    team = s.CharField(source="team.name")
    n_people = s.IntegerField(allow_null=True)


class AttackRef(Shape):
    id = s.IntegerField(source="pk")
    kind = s.ChoiceField(Attack.Kind.choices)
    label = s.CharField()  # type: ignore[assignment]
    version = s.IntegerField()


class CellShape(Shape):
    entry_id = s.IntegerField()
    state = s.ChoiceField(AttackRun.State.choices)
    hits = s.IntegerField(allow_null=True)
    rate = s.FloatField(allow_null=True)


class MatrixRowShape(Shape):
    attack = AttackRef()
    cells = CellShape(many=True, help_text="Only the entries that this attack has to do with.")
    hits = s.IntegerField()
    targets = s.IntegerField()
    mean_percent = s.FloatField(allow_null=True)


class MatrixShape(Shape):
    is_shown = s.BooleanField(help_text="False until the round's results are public.")
    entries = EntryRef(many=True)
    rows = MatrixRowShape(many=True)


class AttackerShape(Shape):
    rank = s.IntegerField(allow_null=True, help_text="Null for the house where it takes no place.")
    name = s.CharField()
    is_house = s.BooleanField()
    is_mine = s.BooleanField()
    hits = s.IntegerField()
    targets = s.IntegerField()
    mean_percent = s.FloatField()


class EntryShape(Shape):
    """An entry in the list of its own team."""

    id = s.IntegerField(source="pk")
    number = s.IntegerField()
    team = s.CharField(source="team.name")
    state = s.ChoiceField(Entry.State.choices)
    mark = s.ChoiceField(Entry.Mark.choices, allow_blank=True)
    is_official = s.BooleanField()
    is_pinned = s.BooleanField()
    costs_attempt = s.BooleanField()
    utility = s.FloatField(allow_null=True)
    n_people = s.IntegerField(allow_null=True)
    received_at = s.DateTimeField()
    finished_at = s.DateTimeField(allow_null=True)
    note = s.CharField()
    sha256 = s.CharField(source="upload_sha256")


class StepShape(Shape):
    label = s.CharField()  # type: ignore[assignment]
    status = s.ChoiceField(["done", "active", "waiting", "failed"])
    detail = Words()


class ScoreShape(MeasureShape):
    name = s.CharField(source="cell.name")
    title = s.CharField(source="cell.title")
    value = s.FloatField(source="cell.value")
    limit = s.FloatField(source="cell.limit")
    unit = s.CharField(source="cell.unit")
    ok = s.BooleanField(source="cell.ok")
    detail = s.DictField()


class EntryRunShape(Shape):
    attack_id = s.IntegerField(source="run.attack_id")
    title = s.CharField()
    kind = s.ChoiceField(Attack.Kind.choices, source="run.attack.kind")
    state = s.ChoiceField(AttackRun.State.choices, source="run.state")
    hits = s.IntegerField(source="run.hits", allow_null=True)
    rate = s.FloatField(source="run.risk", allow_null=True)
    low = s.FloatField(source="run.low", allow_null=True)
    high = s.FloatField(source="run.high", allow_null=True)
    is_strongest = s.BooleanField()


class InsteadShape(Shape):
    """The entry that counts instead of a valid one of the same team."""

    id = s.IntegerField(source="entry.pk")
    number = s.IntegerField(source="entry.number")
    because = s.ChoiceField(["frozen", "pinned", "utility", "loss", "later"])
    can_pin = s.BooleanField(help_text="Whether pinning makes this one count.")
    text = s.CharField()


class EntryDetailShape(Shape):
    """An entry with as much as the caller may see."""

    id = s.IntegerField(source="entry.pk")
    number = s.IntegerField(source="entry.number")
    team = s.CharField(source="entry.team.name", help_text="It counts for this team.")
    state = s.ChoiceField(Entry.State.choices, source="entry.state")
    mark = s.ChoiceField(Entry.Mark.choices, source="entry.mark", allow_blank=True)
    is_official = s.BooleanField(source="entry.is_official")
    is_pinned = s.BooleanField(source="entry.is_pinned")
    received_at = s.DateTimeField(source="entry.received_at")
    finished_at = s.DateTimeField(source="entry.finished_at", allow_null=True)
    utility = s.FloatField(source="entry.utility", allow_null=True)
    n_people = s.IntegerField(source="entry.n_people", allow_null=True)
    note = s.CharField(allow_null=True, help_text="Its own team's and the organisers'; null for others.")
    progress = s.IntegerField()
    steps = StepShape(many=True)
    queue_position = s.IntegerField(allow_null=True, help_text="Null while one of its jobs runs.")
    seconds_left = s.FloatField(allow_null=True, help_text="An estimate from the pace of the last jobs.")
    seconds_at_most = s.FloatField(
        allow_null=True, help_text="Where it waits for programs of teams: if they use all of their time."
    )
    is_settled = s.BooleanField()
    remarks = RemarkShape(many=True)
    problem_total = s.IntegerField()
    kinds = ProblemKindShape(many=True, source="problem_kinds", help_text="The first kinds of problems.")
    problems = ProblemShape(many=True)
    because = s.ListField(child=s.CharField())
    scores = ScoreShape(many=True)
    attacks_shown = s.BooleanField(source="show_attacks")
    attack_runs = EntryRunShape(many=True)
    safety = s.FloatField(allow_null=True)
    total = s.FloatField(allow_null=True)
    rank = s.IntegerField(allow_null=True)
    counts_instead = InsteadShape(
        source="instead", allow_null=True, help_text="For its own team, where it is valid and does not count."
    )


class AttackShape(AttackRef):
    team = s.CharField(source="team.name", default=None, allow_null=True)
    is_dry_run = s.BooleanField()
    is_active = s.BooleanField()
    created_at = s.DateTimeField()


class RunShape(Shape):
    target = EntryRef()
    state = s.ChoiceField(AttackRun.State.choices, source="run.state")
    hits = s.IntegerField(allow_null=True)
    rate = s.FloatField(allow_null=True)
    band = s.CharField(allow_null=True)
    reason = Words()
    reason_code = Code(source="reason", help_text="The kind of reason, the same in all versions.")
    log = s.CharField(trim_whitespace=False)


class AttackDetailShape(Shape):
    """An attack with as much of its outcome as the round's feedback shows to the caller."""

    attack = AttackShape()
    note = s.CharField(allow_null=True)
    feedback = s.ChoiceField(Feedback.choices)
    is_settled = s.BooleanField()
    n_done = s.IntegerField()
    hits = s.IntegerField(allow_null=True)
    runs = RunShape(source="rows", many=True)


class JobShape(Shape):
    id = s.IntegerField(source="pk")
    kind = s.ChoiceField(Job.Kind.choices)
    state = s.ChoiceField(Job.State.choices)
    owner = s.CharField(source="owner.name", default=None, allow_null=True)
    entry_id = s.IntegerField(allow_null=True)
    attack_run_id = s.IntegerField(allow_null=True)
    house_order_id = s.IntegerField(allow_null=True)
    attempts = s.IntegerField()
    progress = s.IntegerField()
    step = Words()
    reason = Words()
    reason_code = Code(source="reason")
    error = s.CharField()
    created_at = s.DateTimeField()
    started_at = s.DateTimeField(allow_null=True)
    finished_at = s.DateTimeField(allow_null=True)


class HouseOrderShape(Shape):
    """Without its seed, which reveals the truth of the entry."""

    id = s.IntegerField(source="pk")
    round = s.SlugField(source="round.slug")
    method = s.CharField()
    parameters = s.DictField()
    state = s.ChoiceField(HouseOrder.State.choices)
    reason = Words()
    reason_code = Code(source="reason")
    requested_at = s.DateTimeField()
    entry_id = s.IntegerField(allow_null=True)


class MemberShape(Shape):
    id = s.IntegerField(source="pk")
    name = s.CharField(source="user.shown_name")
    role = s.CharField()


class TeamRoundShape(Shape):
    round = s.SlugField(source="round.slug")
    attempts = AttemptsShape()
    official_entry_id = s.IntegerField(allow_null=True)


class TeamShape(TeamRef):
    track = s.CharField(help_text="The name of its track, or nothing.")
    members = MemberShape(many=True)
    rounds = TeamRoundShape(many=True)


class InvitationShape(Shape):
    url = s.URLField(help_text="Shown only this once.")


class MeShape(Shape):
    name = s.CharField()
    token = s.CharField(help_text="The name of the token.")
    scopes = s.ListField(child=s.CharField())
    expires_at = s.DateTimeField()
    contest = s.SlugField(allow_null=True, help_text="The only contest of a team's token.")
    teams = s.ListField(child=s.DictField())


class StandingShape(Shape):
    """Places at a moment: team (by its id), rank and total; the house without a place has `is_house` and no
    rank."""

    at = s.DateTimeField()
    places = s.ListField(child=s.DictField())
