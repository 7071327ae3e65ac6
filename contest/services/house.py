"""House entries: baselines that the platform makes itself and sends through the same path as a team's."""

from __future__ import annotations

import io
import secrets
import tempfile
from pathlib import Path
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from anonymizers.anonymizer import ParameterError
from anonymizers.parameters import checked
from anonymizers.registry import anonymizer
from contest import vault
from contest.errors import Refused
from contest.models import Job, Round, User
from contest.services import audit, entries, jobs
from contest.services.teams import house_team
from contest.words import say


def secret_seed() -> int:
    """A seed that nobody guesses: who knows it can make a house entry again, and with it the truth."""
    return secrets.randbelow(2**31)


def request_house_entry(
    round_: Round, user: User | None, method: str, parameters: dict[str, Any] | None = None, seed: int = 1
) -> Job:
    """Ask for an entry made by a house anonymizer; a worker makes it and hands it in."""
    try:
        described = anonymizer(method)
        checked(method, described.parameters, parameters or {})
    except (KeyError, ParameterError) as error:
        raise Refused("bad-parameters", say(str(error))) from None
    if described.format != round_.dataset.format:
        raise Refused(
            "method-of-another-format",
            _("The method %(method)s is not made for the format of this round's data, %(format)s.")
            % {"method": method, "format": round_.dataset.format},
        )
    with transaction.atomic():
        job = jobs.enqueue_job(
            Job.Kind.HOUSE,
            payload={"round": round_.pk, "method": method, "parameters": parameters or {}, "seed": seed},
        )
        audit.record(
            "house_entry.requested", job, contest=round_.contest, actor=user, after=dict(job.payload)
        )
    return job


def hand_in_house_entry(claim: jobs.Claim, round_: Round, release: Any) -> None:
    """Hand in what the anonymizer made, once, with the end of its job."""
    payload = claim.job.payload
    with tempfile.TemporaryDirectory() as folder:
        round_.dataset.spec.write_entry(Path(folder), release)
        names = round_.dataset.spec.upload_names
        parts = {name: io.BytesIO((Path(folder) / name).read_bytes()) for name in names}
    upload = vault.keep_parts(parts, round_.dataset.n_rows * 400 + 10_000_000)
    settings = ", ".join(f"{name}={value}" for name, value in sorted(payload["parameters"].items()))
    with claim.finish():
        team = house_team(
            round_.contest, f"House · {payload['method']}" + (f" ({settings})" if settings else "")
        )
        entries.submit_entry(
            round_, team, None, upload, note=f"seed {payload['seed']}", method=payload["method"]
        )
