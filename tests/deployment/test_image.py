"""The images are built, and an installation started from them plays: what docker/ promises, done for real."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from attacks.sandbox.world import OFFERED
from tests.deployment.composed import FromImage, running
from tests.deployment.images import Builder, builder
from tests.deployment.test_composed import plays, servers

pytestmark = [
    pytest.mark.service,
    pytest.mark.slow,
    pytest.mark.timeout(1800),
    pytest.mark.skipif(
        not os.environ.get("KAKURENBO_LONG"), reason="only on demand: builds both images (make image-test)"
    ),
]
UNWANTED = """
import importlib.util, pathlib
found = [name for name in ("pip", "setuptools", "pytest", "tests") if importlib.util.find_spec(name)]
left_out = ["/etc/pip.conf", "/opt/tools", "/tmp/build"]
left_out += [f"/srv/kakurenbo/{name}" for name in (".git", ".venv", "docker", "docs", "tests", "var")]
found += [name for name in left_out if pathlib.Path(name).exists()]
found += map(str, pathlib.Path("/srv/kakurenbo").rglob("__pycache__"))
print(found)
"""


def test_the_images_are_built_and_an_installation_started_from_them_plays(tmp_path: Path) -> None:
    with builder(tmp_path) as images:
        images.build_images()
        _an_installation_plays(images, tmp_path)
        _the_sandbox_image_offers_its_libraries_and_no_more(images)


def _an_installation_plays(images: Builder, folder: Path) -> None:
    with servers() as here, images.container("kakurenbo") as container:
        place = FromImage(images, container, folder, here.urls())
        with running(place):
            here.let_in(place)
            assert place.run("web", ["python", "-c", UNWANTED]) == "[]"
            assert place.run("web", ["id", "--user"]) == "10001"
            assert _owners_of_the_stores(place) == {"10001 700"}
            plays(place, here)


def _owners_of_the_stores(place: FromImage) -> set[str]:
    """Those in the image, which a new volume takes over."""
    stores = {volume.split(":")[1] for volume in place.services["web"]["volumes"]}
    return set(place.builder.output(place.container, ["stat", "--format=%u %a", *stores]).splitlines())


def _the_sandbox_image_offers_its_libraries_and_no_more(images: Builder) -> None:
    offered = ["sklearn" if name == "scikit-learn" else name for name in OFFERED]
    code = (
        f"import importlib.util as it, os; [__import__(name) for name in {offered!r}]; "
        "print(os.getuid(), it.find_spec('pip'), it.find_spec('django'))"
    )
    with images.container("kakurenbo-sandbox") as container:
        assert images.output(container, ["python3", "-c", code]) == "61001 None None"
