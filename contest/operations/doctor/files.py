"""What the installation holds: the logs and the stored files."""

from __future__ import annotations

from django.utils.translation import gettext as _

from contest.archive.file_stores import STORES, named_files
from contest.models import Attack, AttackRun, Contest, Entry, Sealed
from contest.operations.doctor.finding import Finding, failed, ok
from contest.records.audit import extend_all_chains, verify_chain

SHOWN = 3


def audit_chain() -> Finding:
    extend_all_chains()
    chains: list[tuple[str, int | None]] = [(_("the site"), None)]
    chains += [(contest.slug, contest.pk) for contest in Contest.objects.order_by("slug")]
    total = 0
    for name, key in chains:
        number, problem = verify_chain(key)
        total += number
        if problem:
            return failed(
                _("The log of %(name)s was tampered with: %(problem)s.") % {"name": name, "problem": problem},
                _("Compare it with the last backup: who could write to the database since then?"),
            )
    return ok(_("%(logs)s logs with %(acts)s actions are unbroken.") % {"logs": len(chains), "acts": total})


def stored_files() -> Finding:
    """Every file that a row names is there and has its hash; files that teams withheld may be missing."""
    withheld = _withheld()
    named = named_files()
    broken = [
        f"{sha256} in {store}"
        for sha256, store in named
        if not STORES[store].is_intact(sha256) and (STORES[store].exists(sha256) or sha256 not in withheld)
    ]
    if broken:
        names = ", ".join(broken[:SHOWN]) + (" …" if len(broken) > SHOWN else "")
        return failed(
            _("%(n)s stored files are missing or damaged: %(names)s.") % {"n": len(broken), "names": names},
            _("Take them from the last backup: files/HASH in its zip goes to HA/HASH in the store's folder."),
        )
    return ok(_("All %(n)s stored files are there and unchanged.") % {"n": len(named)})


def _withheld() -> set[str]:
    found: set[str] = set()
    entries = Entry.objects.filter(team__in_archive=False)
    for upload, published in entries.values_list("upload_sha256", "published"):
        found |= {upload, *published.values()}
    found |= set(Sealed.objects.filter(entry__in=entries).values_list("sha256", flat=True))
    silent = AttackRun.objects.filter(attack__team__in_archive=False)
    found |= set(silent.values_list("answer_sha256", flat=True))
    programs = Attack.objects.filter(team__in_archive=False).values_list("program_sha256", flat=True)
    return found | set(programs)
