"""Files in S3 instead of a folder, on moto's imitation of the service."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator

import pytest
from django.core.files.storage import storages

from config import environment
from contest.errors import Refused
from contest.files.storage import ContentStore
from contest.models import Entry
from tests.conftest import missing
from tests.factories import make_entry, make_round, make_team, work_off

STORES = ("entries", "attacks", "vault")


@pytest.fixture
def buckets(monkeypatch: pytest.MonkeyPatch, settings) -> Iterator[None]:
    try:
        import boto3
        from moto import mock_aws
    except ImportError:
        missing("moto and boto3 absent: make install installs them")
    monkeypatch.setenv("KAKURENBO_S3_KEY", "key")
    monkeypatch.setenv("KAKURENBO_S3_SECRET", "secret")
    monkeypatch.setenv("KAKURENBO_S3_REGION", "us-east-1")
    for name in STORES:
        monkeypatch.setenv(f"KAKURENBO_{name.upper()}_BUCKET", f"kakurenbo-{name}")
    with mock_aws():
        service = boto3.client("s3", "us-east-1", aws_access_key_id="key", aws_secret_access_key="secret")
        for name in STORES:
            service.create_bucket(Bucket=f"kakurenbo-{name}")
        made = {name: environment.store(name, settings.VAR) for name in STORES}
        settings.STORAGES = {**settings.STORAGES, **made}
        yield


def test_a_store_in_a_bucket_keeps_what_it_is_given(buckets: None) -> None:
    store = ContentStore("vault")
    content = b"hidden" * 100_000
    stored = store.put(io.BytesIO(content))
    assert stored.sha256 == hashlib.sha256(content).hexdigest()
    assert store.put(io.BytesIO(content)) == stored
    with store.open(stored.sha256) as file:
        assert file.read() == content
    assert store.is_intact(stored.sha256)
    assert not store.exists("0" * 64)
    with pytest.raises(Refused):
        store.put(io.BytesIO(content), max_bytes=10)


def test_what_lies_in_the_bucket_is_private_and_checked(buckets: None) -> None:
    stored = ContentStore("vault").put(io.BytesIO(b"truth"))
    bucket = storages["vault"].bucket  # type: ignore[attr-defined]
    (found,) = bucket.objects.all()
    assert found.key == f"vault/{stored.sha256[:2]}/{stored.sha256}"
    grants = bucket.Object(found.key).Acl().grants
    assert [grant["Permission"] for grant in grants] == ["FULL_CONTROL"]
    bucket.Object(found.key).put(Body=b"forged")
    assert not ContentStore("vault").is_intact(stored.sha256)


@pytest.mark.django_db
def test_an_entry_goes_its_whole_way_through_buckets(buckets: None) -> None:
    round_ = make_round()
    entry = make_entry(round_, make_team(round_.contest))
    work_off()
    entry.refresh_from_db()
    assert entry.state == Entry.State.VALID and entry.hits is not None
    assert {name: len(list(storages[name].bucket.objects.all())) for name in STORES} == {  # type: ignore[attr-defined]
        "entries": 4,
        "attacks": 0,
        "vault": 2,
    }
