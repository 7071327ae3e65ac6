"""What the installation holds: the logs and the stored files."""

from __future__ import annotations

from contest.doctor.finding import Finding, failed, ok
from contest.models import Attack, AttackRun, Contest, Entry
from contest.services.audit import extend_all_chains, verify_chain
from contest.stores import STORES, named_files

SHOWN = 3


def audit_chain() -> Finding:
    extend_all_chains()
    chains: list[tuple[str, int | None]] = [("the site", None)]
    chains += [(contest.slug, contest.pk) for contest in Contest.objects.order_by("slug")]
    total = 0
    for name, key in chains:
        number, problem = verify_chain(key)
        total += number
        if problem:
            return failed(
                f"The log of {name} was tampered with: {problem}.",
                "Compare it with the last backup: who could write to the database since then?",
            )
    return ok(f"{len(chains)} logs with {total} acts are unbroken.")


def stored_files() -> Finding:
    """Every file that a row names is there and has its hash; files that teams kept to themselves may lack."""
    withheld = _withheld()
    named = named_files()
    broken = [
        f"{sha256} in {store}"
        for sha256, store in named
        if not STORES[store].is_intact(sha256) and (STORES[store].exists(sha256) or sha256 not in withheld)
    ]
    if broken:
        return failed(
            f"{len(broken)} stored files are missing or damaged: {', '.join(broken[:SHOWN])}"
            f"{' …' if len(broken) > SHOWN else ''}.",
            "Take them from the last backup: files/HASH in its zip goes to HA/HASH in the store's folder.",
        )
    return ok(f"All {len(named)} stored files are there and unchanged.")


def _withheld() -> set[str]:
    names = ("upload_sha256", "master_sha256", "transactions_sha256", "truth_sha256")
    found: set[str] = set()
    for row in Entry.objects.filter(team__in_archive=False).values_list(*names):
        found |= set(row)
    silent = AttackRun.objects.filter(attack__team__in_archive=False)
    found |= set(silent.values_list("guess_sha256", flat=True))
    programs = Attack.objects.filter(team__in_archive=False).values_list("program_sha256", flat=True)
    return found | set(programs)
