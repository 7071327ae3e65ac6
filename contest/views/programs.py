"""Taking a program that attacks, for rounds of formats and of games alike."""

from __future__ import annotations

from contest.errors import Refused
from contest.forms.attacks import ProgramForm
from contest.models import Attack, Round, Team
from contest.services import team_attacks
from contest.views.requests import UserRequest


def accepted_program(request: UserRequest, round_: Round, team: Team, form: ProgramForm) -> Attack | None:
    """The attack that a program becomes, or None where the form says what is wrong with it."""
    if not form.is_valid():
        return None
    submit = team_attacks.try_program if form.cleaned_data["dry_run"] else team_attacks.submit_program
    try:
        return submit(round_, team, request.user, team_attacks.keep_program(form.cleaned_data["program"]))
    except Refused as refusal:
        form.add_error("program", refusal.text)
        return None
