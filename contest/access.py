"""The one place that decides who may see and do what. What somebody may not see does not exist for them."""

from __future__ import annotations

from collections.abc import Sequence

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db.models import Q, QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils import timezone

from contest.models import (
    ApiToken,
    Attack,
    AttackRun,
    Contest,
    Entry,
    Invitation,
    Job,
    LogIn,
    Membership,
    Organiser,
    Phase,
    Rescore,
    Round,
    Team,
    User,
    Webhook,
)
from contest.models.round import Feedback
from contest.numbers import whole_number
from contest.services.teams import hash_token

Viewer = User | AnonymousUser


def is_organiser(user: Viewer, contest: Contest) -> bool:
    return user.is_authenticated and Organiser.objects.filter(contest=contest, user=user).exists()


def visible_contests(user: Viewer) -> list[Contest]:
    public = Contest.objects.filter(is_public=True)
    own = Contest.objects.filter(organisers__user=user) if user.is_authenticated else Contest.objects.none()
    return list((public | own).distinct().order_by("-created_at", "-id"))


def contest_for(user: Viewer, slug: str) -> Contest:
    contest = Contest.objects.filter(slug=slug).first()
    if contest is None or not (contest.is_public or is_organiser(user, contest)):
        raise Http404
    return contest


def may_create_contests(user: Viewer) -> bool:
    """Who may make a contest: whom the site has named, or everybody where the installation says so."""
    return user.is_authenticated and (user.is_staff or settings.EVERYBODY_ORGANISES)


def require_may_create(user: Viewer) -> None:
    if not may_create_contests(user):
        raise Http404


def require_staff(user: Viewer) -> None:
    """The site's own pages are for its staff, whoever else may make contests."""
    if not (user.is_authenticated and user.is_staff):
        raise Http404


def organised_contest_for(user: Viewer, slug: str) -> Contest:
    contest = contest_for(user, slug)
    if not is_organiser(user, contest):
        raise Http404
    return contest


def is_told(round_: Round) -> bool:
    """Whether those who see the contest may know of a round: of a hidden one from its first phase on."""
    return not round_.is_hidden or round_.has_begun


def rounds_for(user: Viewer, contest: Contest) -> list[Round]:
    """The rounds of a contest that somebody may see, in their order, with their data and phases."""
    rounds = list(contest.rounds.select_related("dataset").prefetch_related("phases"))
    for round_ in rounds:
        round_.contest = contest
    told = [round_ for round_ in rounds if is_told(round_)]
    return told if len(told) == len(rounds) or not is_organiser(user, contest) else rounds


def round_for(user: Viewer, contest_slug: str, round_slug: str) -> Round:
    found = Round.objects.select_related("contest", "dataset")
    round_ = found.filter(contest__slug=contest_slug, slug=round_slug).first()
    if round_ is None:
        raise Http404
    if not (round_.contest.is_public and is_told(round_)) and not is_organiser(user, round_.contest):
        raise Http404
    return round_


def organised_round_for(user: Viewer, contest_slug: str, round_slug: str) -> Round:
    organised_contest_for(user, contest_slug)
    return round_for(user, contest_slug, round_slug)


def public_board_version(contest_slug: str, round_slug: str) -> int | None:
    """The version of a board that everybody may see, without asking who looks."""
    found = Round.objects.filter(contest__slug=contest_slug, contest__is_public=True, slug=round_slug)
    told = Q(is_hidden=False) | Q(phases__starts_at__lte=timezone.now())
    return found.filter(told).values_list("board_version", flat=True).first()


def team_of(user: Viewer, contest: Contest) -> Team | None:
    if not user.is_authenticated:
        return None
    membership = Membership.objects.filter(contest=contest, user=user).select_related("team").first()
    return membership.team if membership else None


def team_for(user: Viewer, contest_slug: str, team_id: int) -> Team:
    """A team's own pages are for its members and the organisers."""
    contest = contest_for(user, contest_slug)
    team = Team.objects.filter(contest=contest, pk=team_id).first()
    if team is None or not user.is_authenticated:
        raise Http404
    if not (Membership.objects.filter(team=team, user=user).exists() or is_organiser(user, contest)):
        raise Http404
    team.contest = contest
    return team


def own_team_for(user: Viewer, contest: Contest) -> Team:
    team = team_of(user, contest)
    if team is None:
        raise Http404
    return team


def invitation_for(token: str) -> Invitation:
    invitation = (
        Invitation.objects.select_related("team__contest").filter(token_sha256=hash_token(token)).first()
    )
    if invitation is None:
        raise Http404
    return invitation


def invitation_of(team: Team, invitation_id: int) -> Invitation:
    invitation = Invitation.objects.filter(team=team, pk=invitation_id).first()
    if invitation is None:
        raise Http404
    invitation.team = team
    return invitation


def results_are_public(round_: Round) -> bool:
    """Attack results are public at once where feedback is full, otherwise from the results phase on."""
    if round_.feedback == Feedback.FULL:
        return is_told(round_)
    return results_have_begun(round_)


def results_have_begun(round_: Round) -> bool:
    now = timezone.now()
    return Phase.objects.filter(round=round_, kind=Phase.Kind.RESULTS, starts_at__lte=now).exists()


def sees_attacks(user: Viewer, round_: Round) -> bool:
    """Whether somebody may see what attacks found in a round: one answer for boards, cells and history."""
    return results_are_public(round_) or is_organiser(user, round_.contest)


def matrix_version(user: Viewer, round_: Round) -> str:
    """By what a page knows that the matrix it shows is the newest. Organisers see more than others before the
    results, and theirs is no number, so that it is never taken for the version that others see."""
    if not results_are_public(round_) and is_organiser(user, round_.contest):
        return f"full-{round_.full_version}"
    return str(round_.board_version)


def targets_are_public(round_: Round) -> bool:
    """Attackers may read entries where all is told at once; elsewhere when they are frozen for the attack."""
    return round_.feedback == Feedback.FULL or round_.frozen_at is not None


def owns_entry(user: Viewer, entry: Entry) -> bool:
    return user.is_authenticated and Membership.objects.filter(team=entry.team_id, user=user).exists()


def entry_for(user: Viewer, contest_slug: str, round_slug: str, entry_id: int) -> Entry:
    """An entry is open to its team and the organisers; to others once it stands on the public board."""
    round_ = round_for(user, contest_slug, round_slug)
    entry = Entry.objects.select_related("team").filter(round=round_, pk=entry_id).first()
    if entry is None:
        raise Http404
    entry.round = round_
    if owns_entry(user, entry) or is_organiser(user, round_.contest):
        return entry
    if entry.is_official and results_are_public(round_):
        return entry
    raise Http404


def sees_individuals(user: Viewer, entry: Entry) -> bool:
    """Whether somebody may see what names or counts single people of an entry: who was found, its pictures.

    Before the results phase that helps attackers even where the board shows all numbers at once: a list of
    those found and the guesses of the house attacks together give rows of P away.
    """
    if owns_entry(user, entry) or is_organiser(user, entry.round.contest):
        return True
    return results_have_begun(entry.round)


def own_entry_for(user: Viewer, contest_slug: str, round_slug: str, entry_id: int) -> Entry:
    entry = entry_for(user, contest_slug, round_slug, entry_id)
    if not owns_entry(user, entry):
        raise Http404
    return entry


def attack_for(user: Viewer, contest_slug: str, round_slug: str, attack_id: int) -> Attack:
    """An attack is open to its team and the organisers; to others once the round's results are public."""
    round_ = round_for(user, contest_slug, round_slug)
    attack = Attack.objects.select_related("team").filter(round=round_, pk=attack_id).first()
    if attack is None:
        raise Http404
    attack.round = round_
    if owns_attack(user, attack) or is_organiser(user, round_.contest):
        return attack
    if results_are_public(round_) and not attack.is_dry_run:
        return attack
    raise Http404


def attack_of(contest: Contest, attack_id: int) -> Attack:
    """An attack of a contest that the caller has got through `organised_contest_for`."""
    attack = (
        Attack.objects.select_related("round__contest", "team")
        .filter(round__contest=contest, pk=attack_id)
        .first()
    )
    if attack is None:
        raise Http404
    return attack


def phase_of(contest: Contest, phase_id: int) -> Phase:
    """A phase of a contest that the caller organises."""
    phase = Phase.objects.select_related("round__contest").filter(round__contest=contest, pk=phase_id).first()
    if phase is None:
        raise Http404
    return phase


def rescore_of(contest: Contest, rescore_id: int) -> Rescore:
    """A change of limits in a contest that the caller organises."""
    rescore = (
        Rescore.objects.select_related("round__contest", "requested_by", "decided_by")
        .filter(round__contest=contest, pk=rescore_id)
        .first()
    )
    if rescore is None:
        raise Http404
    return rescore


def _number_or_404(text: str) -> int:
    number = whole_number(text)
    if number is None:
        raise Http404
    return number


def entries_of(contest: Contest, ids: Sequence[str]) -> list[Entry]:
    """Entries of a contest that the caller organises; one that is not among them does not exist."""
    wanted = {_number_or_404(key) for key in ids}
    found = Entry.objects.filter(round__contest=contest, pk__in=wanted).select_related(
        "team", "round__contest"
    )
    entries = list(found.order_by("pk"))
    if len(entries) != len(wanted):
        raise Http404
    return entries


def teams_of(contest: Contest, ids: Sequence[str]) -> list[Team]:
    """Teams of a contest that the caller organises; one that is not among them does not exist."""
    wanted = {_number_or_404(key) for key in ids}
    teams = list(Team.objects.filter(contest=contest, pk__in=wanted).select_related("contest").order_by("pk"))
    if len(teams) != len(wanted):
        raise Http404
    return teams


def runs_of(contest: Contest, run_id: str | None, entry_id: str | None) -> list[AttackRun]:
    """One run, or all runs against one entry, of a contest that the caller organises."""
    key = _number_or_404(run_id or entry_id or "")
    runs = AttackRun.objects.filter(attack__round__contest=contest, attack__is_dry_run=False)
    chosen = runs.filter(pk=key) if run_id else runs.filter(entry=key)
    found = list(chosen.select_related("attack__team", "attack__round__contest", "entry__round__contest"))
    if not found:
        raise Http404
    return found


def owns_attack(user: Viewer, attack: Attack) -> bool:
    if attack.team_id is None or not user.is_authenticated:
        return False
    return Membership.objects.filter(team=attack.team_id, user=user).exists()


def feedback_for(user: Viewer, attack: Attack) -> str:
    """How much somebody may know of an attack's outcome: full, bands or none.

    The truth must not be probed out of the answers, so before the reveal even the attacking team gets only
    what the round's policy gives. Dry runs are not counted, so that of them nothing is told but the log: else
    the house entry that they meet could be asked for ever.
    """
    if results_are_public(attack.round) or is_organiser(user, attack.round.contest):
        return Feedback.FULL
    return Feedback.NONE if attack.is_dry_run else attack.round.feedback


def entries_for(user: Viewer, round_: Round) -> QuerySet[Entry]:
    """The entries of a round in somebody's own list: their team's, or all for an organiser."""
    entries = Entry.objects.filter(round=round_).select_related("team").order_by("-id")
    if is_organiser(user, round_.contest):
        return entries
    return entries.filter(team=own_team_for(user, round_.contest))


def attacks_for(user: Viewer, round_: Round) -> QuerySet[Attack]:
    """The attacks of a round in somebody's own list: their team's, or all for an organiser."""
    attacks = Attack.objects.filter(round=round_).select_related("team").order_by("-id")
    if is_organiser(user, round_.contest):
        return attacks
    return attacks.filter(team=own_team_for(user, round_.contest))


def jobs_of(contest: Contest) -> QuerySet[Job]:
    """The jobs of a contest that the caller has got through `organised_contest_for`."""
    rounds = list(Round.objects.filter(contest=contest).values_list("pk", flat=True))
    mine = (
        Q(entry__round__in=rounds)
        | Q(attack_run__entry__round__in=rounds)
        | Q(kind__in=[Job.Kind.HOUSE, Job.Kind.SIGNALS], payload__round__in=rounds)
        | Q(kind=Job.Kind.MAIL, payload__contest=contest.pk)
    )
    return Job.objects.filter(mine).select_related("owner").order_by("-id")


def tokens_for(user: User) -> QuerySet[ApiToken]:
    """Somebody's own tokens and those of their teams: a team-mate may revoke what a team-mate made."""
    teams = Membership.objects.filter(user=user).values("team")
    return ApiToken.objects.filter(Q(user=user) | Q(team__in=teams)).select_related("user", "team__contest")


def token_for(user: User, token_id: int) -> ApiToken:
    return get_object_or_404(tokens_for(user), pk=token_id)


def log_in_for(user: User, log_in_id: int) -> LogIn:
    return get_object_or_404(LogIn, user=user, pk=log_in_id)


def token_of_secret(secret: str) -> ApiToken | None:
    """The token that a program shows, while its maker still belongs to the team that it is for."""
    token = (
        ApiToken.objects.select_related("user", "team__contest")
        .filter(token_sha256=hash_token(secret))
        .first()
    )
    if token is None or not token.user.is_active:
        return None
    if token.team is None:
        return token
    is_member = Membership.objects.filter(team=token.team, user=token.user).exists()
    # A team's token goes from hand to hand, so it must never carry an organiser's rights.
    return token if is_member and not is_organiser(token.user, token.team.contest) else None


def webhook_owner(user: Viewer, contest_slug: str) -> tuple[Contest, Team | None]:
    """For whom somebody may register addresses: the organisers, else the person's own team."""
    contest = contest_for(user, contest_slug)
    return (contest, None) if is_organiser(user, contest) else (contest, own_team_for(user, contest))


def webhooks_for(user: Viewer, contest_slug: str) -> QuerySet[Webhook]:
    contest, team = webhook_owner(user, contest_slug)
    return Webhook.objects.filter(contest=contest, team=team).select_related("contest")


def webhook_for(user: Viewer, contest_slug: str, webhook_id: int) -> Webhook:
    return get_object_or_404(webhooks_for(user, contest_slug), pk=webhook_id)
