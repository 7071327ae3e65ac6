"""A bill of materials (CycloneDX) from the lock files and the metadata of the installed packages."""

from __future__ import annotations

import datetime
import re
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

from cyclonedx.factory.license import LicenseFactory
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentScope, ComponentType
from cyclonedx.model.license import License
from cyclonedx.output import make_outputter
from cyclonedx.schema import OutputFormat, SchemaVersion
from packageurl import PackageURL

DELIVERED = ("base", "sandbox")
"""The locks of what an installation runs; the others hold what builds and tests it."""


@dataclass(frozen=True)
class Locked:
    """A package of a lock file. ``needed_by`` are the names of packages that brought it."""

    name: str
    version: str
    needed_by: tuple[str, ...]


def locked(text: str) -> Iterator[Locked]:
    """The packages of a lock file; one may occur in several versions, for different Pythons."""
    for part in re.split(r"^(?=[A-Za-z0-9])", text, flags=re.MULTILINE):
        named = re.match(r"([\w.-]+)(?:\[[^\]]*\])?==([^\s;]+)", part)
        if named:
            needed_by = re.findall(r"^ +#(?: via)? +([A-Za-z0-9][\w.-]*)$", part, re.MULTILINE)
            yield Locked(named[1], named[2], tuple(needed_by))


def _component(package: Locked, is_delivered: bool) -> Component:
    url = PackageURL("pypi", name=package.name, version=package.version)
    return Component(
        type=ComponentType.LIBRARY,
        name=package.name,
        version=package.version,
        purl=url,
        bom_ref=str(url),
        scope=ComponentScope.REQUIRED if is_delivered else ComponentScope.EXCLUDED,
        licenses=_licences(package),
    )


def _licences(package: Locked) -> list[License]:
    """What the installed package of this very version says; nothing where it is not installed or silent."""
    try:
        said = metadata(package.name)
    except PackageNotFoundError:
        return []
    fields = ("License-Expression", "License", "Classifier")
    texts = [text.strip() for field in fields for text in said.get_all(field) or ()]
    text = next((text for text in texts if text and (" :: " not in text or text.startswith("License"))), "")
    if said["Version"] != package.version or not text:
        return []
    return [LicenseFactory().make_from_string(text.splitlines()[0].rpartition(" :: ")[2])]


def bill_of_materials(locks: Path, project: Mapping[str, str], epoch: int) -> str:
    """CycloneDX 1.6 as JSON. The same locks, environment and moment give the same bytes.

    The hashes of the packages are in the locks, one for each platform, and not repeated here.
    """
    texts = {path.stem: path.read_text(encoding="utf-8") for path in sorted(locks.glob("*.lock"))}
    delivered = {(it.name, it.version) for stem in DELIVERED for it in locked(texts[stem])}
    packages = {(it.name, it.version): it for text in texts.values() for it in locked(text)}
    bom = Bom(serial_number=uuid.uuid5(uuid.NAMESPACE_URL, f"{project['name']} {project['version']} {epoch}"))
    bom.metadata.timestamp = datetime.datetime.fromtimestamp(epoch, datetime.UTC)
    ours = Component(
        type=ComponentType.APPLICATION,
        name=project["name"],
        version=project["version"],
        bom_ref=project["name"],
        licenses=[LicenseFactory().make_with_id("Apache-2.0")],
    )
    bom.metadata.component = ours
    made = {key: _component(it, key in delivered) for key, it in sorted(packages.items())}
    bom.components.update(made.values())
    bom.register_dependency(ours, [made[key] for key in sorted(delivered)])
    for key, component in made.items():
        brought = [made[other] for other, it in packages.items() if key[0] in it.needed_by]
        bom.register_dependency(component, brought)
    return make_outputter(bom, OutputFormat.JSON, SchemaVersion.V1_6).output_as_string(indent=1) + "\n"
