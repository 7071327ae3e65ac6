"""Games and their rounds as the API shows them. Names of numbers, files and challenges are the game's own."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers as s

from contest.api.request_serializers import KEEP
from contest.api.serializers import (
    AttackShape,
    Code,
    EntryRef,
    EntryShape,
    InsteadShape,
    MatrixShape,
    Shape,
    StepShape,
    Words,
)
from contest.api.verdict_serializers import ProblemKindShape, ProblemShape, RemarkShape
from contest.models import Attack, AttackRun, Entry, GamePackage
from contest.models.round import BuildState, Feedback


class GameShape(Shape):
    """A game that is installed at this site."""

    name = s.CharField()
    version = s.CharField()
    title = s.DictField(child=s.CharField(), help_text="By language.")
    people = s.DictField(child=s.CharField(), help_text="What the hidden people are called.")
    phases = s.ChoiceField(["hide and seek", "seek"])


class PresetName(Shape):
    name = s.CharField()
    title = s.DictField(child=s.CharField(), help_text="By language.")


class InstalledGameShape(GameShape):
    presets = PresetName(many=True, help_text="What a contest or a round of it can begin with.")


class NumberShape(Shape):
    name = s.CharField()
    title = s.DictField(child=s.CharField())
    meaning = s.DictField(child=s.CharField())
    better = s.CharField(allow_blank=True, help_text="lower, higher, or neither.")
    decimals = s.IntegerField()
    told = s.CharField(help_text="How it is told before the results.")
    needs_secret = s.BooleanField()


class ColumnShape(Shape):
    name = s.CharField()
    kind = s.CharField()
    expected = s.CharField()


class FileShape(Shape):
    name = s.CharField(help_text="May hold {i}, {slot} or {target}.")
    scope = s.CharField()
    made = s.CharField()
    shown = s.DictField(child=s.CharField(), help_text="From which moment on whom: all, team, programs.")
    is_required = s.BooleanField(source="required")
    meaning = s.DictField(child=s.CharField())
    columns = ColumnShape(many=True)


class ChallengeShape(Shape):
    name = s.CharField()
    title = s.DictField(child=s.CharField())
    question = s.DictField(child=s.CharField())
    answer = s.ListField(child=s.CharField())
    slot = s.CharField(allow_blank=True)
    numbers = NumberShape(many=True)


class RuleShape(Shape):
    name = s.CharField()
    formula = s.DictField(child=s.CharField())
    boards = s.ListField(child=s.CharField())


class RiskCellShape(Shape):
    entry_id = s.IntegerField()
    state = s.ChoiceField(AttackRun.State.choices)
    risk = s.FloatField(allow_null=True, help_text="From 0 to 1; null where there is no result yet.")


class AttackerLineShape(Shape):
    attacker = s.CharField(source="label", help_text="A team, or a house attack by its name.")
    attack_id = s.IntegerField(help_text="Its newest answer in this challenge.")
    is_house = s.BooleanField()
    cells = RiskCellShape(many=True, help_text="Only the targets that it has answered about.")
    mean_percent = s.FloatField(allow_null=True)


class ChallengeMatrixShape(Shape):
    name = s.CharField()
    targets = s.ListField(child=s.IntegerField(), help_text="Ids of `entries`.")
    rows = AttackerLineShape(many=True)


class RoundMatrixShape(MatrixShape):
    """Of a round of a game `rows` is empty: each challenge has rows of its own."""

    challenges = ChallengeMatrixShape(
        many=True, required=False, help_text="Of rounds of a game alone: every attacker against every target."
    )


class MethodShape(Shape):
    name = s.CharField()
    title = s.DictField(child=s.CharField())
    meaning = s.DictField(child=s.CharField())


class RoundGameShape(GameShape):
    """The game of a round and how it is played there."""

    is_uploaded = s.BooleanField()
    rule = s.CharField(allow_blank=True)
    parameters = s.DictField(help_text="Of this round.")
    build_state = s.ChoiceField(BuildState.choices, allow_blank=True)
    seat = s.IntegerField(allow_null=True, help_text="The number of your team's seat.")
    slots = s.ListField(child=s.CharField(allow_blank=True))
    variants = s.IntegerField()
    files = FileShape(many=True)
    measures = NumberShape(many=True)
    challenges = ChallengeShape(many=True)
    rules = RuleShape(many=True)
    methods = MethodShape(many=True)
    attacks = MethodShape(many=True)


class ReadableFileShape(Shape):
    """A file that you may download now; ``seat`` is a number where it belongs to one."""

    name = s.CharField()
    sha256 = s.CharField()
    seat = s.IntegerField(allow_null=True)


class BoardLineShape(Shape):
    place = s.IntegerField(allow_null=True)
    name = s.CharField(source="label")
    kind = s.ChoiceField(["team", "house", "target", "attack"])
    is_mine = s.BooleanField()
    track = s.CharField(help_text="The name of the team's track, or nothing.")
    track_place = s.IntegerField(allow_null=True, help_text="Its place within its track.")
    values = s.DictField(child=s.FloatField(allow_null=True))


class BoardShape(Shape):
    name = s.CharField()
    columns = s.SerializerMethodField()
    rows = BoardLineShape(source="lines", many=True)

    def get_columns(self, board: Any) -> list[str]:
        return [column.name for column in board.columns]


class BoardsShape(Shape):
    """The boards of a round that you may see, as its game counts them."""

    counted_at = s.DateTimeField(source="made_at", allow_null=True)
    is_being_counted = s.BooleanField()
    attacks_shown = s.BooleanField(source="shows_attacks")
    boards = BoardShape(many=True)


class GameEntryShape(EntryShape):
    key = s.CharField(help_text="The name of this target in answers.")
    slot = s.CharField(allow_blank=True)
    variant = s.IntegerField()


class GameTargetShape(EntryRef):
    """A target of a game. Its folder in `targets.zip` and its files in answers are named by its key."""

    id = s.IntegerField(source="entry.pk")
    number = s.IntegerField(source="entry.number")
    team = s.CharField(source="entry.team.name")
    n_people = s.IntegerField(source="entry.n_people", allow_null=True)
    key = s.CharField(source="entry.key")
    slot = s.CharField(source="entry.slot", allow_blank=True)
    variant = s.IntegerField(source="entry.variant")
    labels = s.DictField(source="entry.labels", child=s.CharField())
    seat = s.IntegerField(allow_null=True, help_text="The number of its seat, where data belong to seats.")


class ToldNumberShape(Shape):
    name = s.CharField(source="title")
    text = s.CharField(help_text="The number, a band, or when it is told.")
    is_told = s.BooleanField()


class PictureShape(Shape):
    """A picture that you may see now."""

    name = s.CharField()
    part = s.CharField(allow_blank=True, help_text="Of what it is, where it is drawn several times.")
    kind = s.ChoiceField(["bars", "heatmap", "curves"])
    title = s.CharField()
    x = s.CharField(allow_blank=True)
    y = s.CharField(allow_blank=True)
    words = s.DictField(child=s.CharField(), help_text="What its names are called in your language.")
    numbers = s.DictField(
        help_text="bars: classes and series; heatmap: rows, columns and panels; curves: curves and points."
    )


class GameRunShape(Shape):
    attack_id = s.IntegerField(source="run.attack_id")
    title = s.CharField(source="label")
    challenge = s.CharField(source="run.challenge")
    state = s.ChoiceField(AttackRun.State.choices, source="run.state")
    risk = s.FloatField(source="run.risk", allow_null=True)
    low = s.FloatField(source="run.low", allow_null=True)
    high = s.FloatField(source="run.high", allow_null=True)
    baseline = s.FloatField(source="run.baseline", allow_null=True)
    numbers = ToldNumberShape(many=True)
    pictures = PictureShape(many=True, source="pictures.data")


class HiderStateShape(Shape):
    """How far the program is that makes an entry."""

    state = s.ChoiceField(["running", "made", "failed"])
    log = s.CharField(trim_whitespace=False, allow_blank=True)
    hides_log = s.BooleanField(help_text="It may read files that its authors may not.")


class GameEntryDetailShape(Shape):
    """An entry of a game with as much as the caller may see."""

    id = s.IntegerField(source="entry.pk")
    key = s.CharField(source="entry.key")
    number = s.IntegerField(source="entry.number")
    team = s.CharField(source="entry.team.name")
    slot = s.CharField(source="entry.slot", allow_blank=True)
    state = s.ChoiceField(Entry.State.choices, source="entry.state")
    mark = s.ChoiceField(Entry.Mark.choices, source="entry.mark", allow_blank=True)
    is_official = s.BooleanField(source="entry.is_official")
    is_pinned = s.BooleanField(source="entry.is_pinned")
    note = s.CharField(allow_null=True)
    progress = s.IntegerField()
    steps = StepShape(many=True)
    is_settled = s.BooleanField()
    remarks = RemarkShape(many=True)
    problem_total = s.IntegerField()
    kinds = ProblemKindShape(many=True, source="problem_kinds", help_text="The first kinds of problems.")
    problems = ProblemShape(many=True)
    program = HiderStateShape(allow_null=True, help_text="For its team, where a program makes the entry.")
    because = s.ListField(child=s.CharField())
    utility = s.FloatField(source="entry.utility", allow_null=True)
    measures = s.DictField(source="entry.measures", child=s.FloatField(allow_null=True))
    counts_instead = InsteadShape(
        source="instead", allow_null=True, help_text="For its own team, where it is valid and does not count."
    )
    pictures = PictureShape(many=True, source="pictures.data")
    attacks_shown = s.BooleanField(source="show_attacks")
    attack_runs = s.SerializerMethodField()

    def get_attack_runs(self, context: Any) -> Any:
        lines = [line for challenge in context["challenges"] for line in challenge.lines]
        return GameRunShape(lines, many=True).data


class AnswerCellShape(Shape):
    target = s.CharField(source="run.entry.key")
    challenge = s.CharField(source="run.challenge")
    state = s.ChoiceField(AttackRun.State.choices, source="run.state")
    risk = s.CharField(help_text="In percent, as a band, or – where it is not told yet.")
    numbers = ToldNumberShape(many=True)
    reason = Words()
    reason_code = Code(source="reason")
    log = s.CharField(trim_whitespace=False)
    pictures = PictureShape(many=True, source="pictures.data")


class AnswerShape(AttackShape):
    """An answer of a team, which lives like an entry."""

    state = s.ChoiceField(Attack.State.choices, allow_blank=True)
    costs_attempt = s.BooleanField()
    is_pinned = s.BooleanField()


class AnswerDetailShape(Shape):
    attack = AnswerShape()
    note = s.CharField(allow_null=True)
    feedback = s.ChoiceField(Feedback.choices)
    is_settled = s.BooleanField()
    n_done = s.IntegerField()
    problem_total = s.IntegerField()
    problems = ProblemShape(many=True)
    cells = s.SerializerMethodField()

    def get_cells(self, summary: Any) -> Any:
        lines = [line for section in summary["sections"] for line in section["lines"]]
        return AnswerCellShape(lines, many=True).data


class GameUpload(Shape):
    """One zip of the files that the game declares."""

    archive = s.FileField(allow_empty_file=True, help_text="A zip of the declared files, or the only one.")
    slot = s.CharField(required=False, allow_blank=True, default="", max_length=40)
    variant = s.IntegerField(required=False, default=0, min_value=0, max_value=999)
    keep = s.BooleanField(default=False, help_text=KEEP)
    note = s.CharField(required=False, allow_blank=True, default="", max_length=200)


class AnswerUpload(Shape):
    archive = s.FileField(allow_empty_file=True, help_text="A zip of the declared files, or the only one.")
    note = s.CharField(required=False, allow_blank=True, default="", max_length=200)


class HiderUpload(Shape):
    program = s.FileField(allow_empty_file=True, help_text="anonymize.py, or a zip with it.")
    slot = s.CharField(required=False, allow_blank=True, default="", max_length=40)
    variant = s.IntegerField(required=False, default=0, min_value=0, max_value=999)
    note = s.CharField(required=False, allow_blank=True, default="", max_length=200)


class FindingShape(Shape):
    law = s.CharField()
    holds = s.BooleanField(allow_null=True, help_text="Null: the game offers nothing to try it on.")
    detail = Words()


class PackageShape(Shape):
    """A game that was uploaded with a contest, and what trying it gave."""

    id = s.IntegerField(source="pk")
    name = s.CharField()
    version = s.CharField()
    sha256 = s.CharField()
    state = s.ChoiceField(GamePackage.State.choices)
    findings = FindingShape(many=True)
    log = s.CharField(allow_blank=True)


class PackageUpload(Shape):
    archive = s.FileField(allow_empty_file=True, help_text="The zip of a game, or a Codabench bundle.")
