"""House entries: baselines that the platform makes itself and sends through the same path as a team's."""

from __future__ import annotations

import io
import json
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
from contest.models import Commitment, Job, Round, User
from contest.models.seeds import secret_seed
from contest.services import audit, entries, jobs
from contest.services.commitments import commit_house_seed
from contest.services.teams import house_team
from contest.words import say


def request_house_entry(
    round_: Round,
    user: User | None,
    method: str,
    parameters: dict[str, Any] | None = None,
    seed: int | None = None,
) -> Job:
    """Ask for an entry made by a house anonymizer; a worker makes it and hands it in.

    Its seed is drawn and kept in a commitment, whose hash is public at once and whose text after the results;
    neither the job nor the log holds it, for attack machines read both. A seed that is named is no secret.
    """
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
    order = {"method": method, "parameters": parameters or {}}
    with transaction.atomic():
        if seed is None:
            secret = commit_house_seed(round_, {**order, "seed": secret_seed()})
            payload = {"round": round_.pk, **order, "commitment": secret.version}
        else:
            payload = {"round": round_.pk, **order, "seed": seed}
        job = jobs.enqueue_job(Job.Kind.HOUSE, payload=payload)
        audit.record(
            "house_entry.requested", job, contest=round_.contest, actor=user, after=dict(job.payload)
        )
    return job


def seed_of(job: Job) -> int:
    """The seed of a house entry: as it was named, or from its commitment."""
    if "seed" in job.payload:
        return int(job.payload["seed"])
    kept = Commitment.objects.get(
        round=job.payload["round"], what=Commitment.What.HOUSE, version=job.payload["commitment"]
    )
    return int(json.loads(kept.payload)["facts"][0]["seed"])


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
        entries.submit_entry(round_, team, None, upload, method=payload["method"])
