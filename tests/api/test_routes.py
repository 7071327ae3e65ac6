"""What the API answers is what the pages show: same numbers, same secrets, one shape of error."""

from __future__ import annotations

import io
import json
import zipfile

import pytest
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db.models import F
from django.test import Client
from django.urls import reverse

from contest.models import Announcement, Attack, AttackRun, AuditEvent, Entry, Job, Round
from contest.records.audit import extend_all_chains
from contest.services.teams import create_invitation
from tests.api.conftest import Caller, World, house_attack, user
from tests.factories import as_zip, entry_files, make_user, work_off

ROUND = "contests/demo/rounds/practice/"


def upload(content: bytes, name: str = "entry.zip") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content, "application/octet-stream")


def error_of(response) -> dict[str, object]:
    body = response.json()
    assert list(body) == ["error"], body
    assert sorted(body["error"]) == ["code", "detail", "message"]
    return body["error"]


def test_a_visitor_reads_contests_rounds_and_boards(world: World) -> None:
    visitor = world.callers["visitor"]
    contests = visitor.get("contests/").json()
    assert [row["slug"] for row in contests["results"]] == ["demo"]
    detail = visitor.get("contests/demo/").json()
    assert detail["rounds"][0]["slug"] == "practice"
    assert detail["my_team"] is None
    round_ = visitor.get(ROUND).json()
    assert round_["limits"][0] == {"measure": "ut-jaccard", "operator": "<=", "limit": 0.9}
    assert round_["attempts"] is None
    assert {phase["kind"]: phase["is_open"] for phase in round_["phases"]}["results"] is False


def test_the_board_of_the_api_is_the_board_of_the_page(world: World) -> None:
    rows = world.callers["tanuki"].get(f"{ROUND}leaderboard/").json()["results"]
    client = Client()
    client.force_login(user("tanuki"))
    page = client.get(world.round.get_absolute_url()).context["rows"]
    assert [(row["rank"], row["total"], row["team"], row["hits"], row["is_mine"]) for row in rows] == [
        (row.rank, row.total, row.team_name, row.hits, row.is_mine) for row in page
    ]


def test_a_board_that_the_caller_has_is_not_sent_again(world: World) -> None:
    tanuki, visitor, path = world.callers["tanuki"], world.callers["visitor"], f"/api/v1/{ROUND}leaderboard/"

    def ask(caller: Caller, tag: str, where: str = path):
        return caller.client.get(where, headers={**caller.headers, "if-none-match": tag})

    first = tanuki.get(f"{ROUND}leaderboard/")
    tag = first["ETag"]
    again = ask(tanuki, f'"another", {tag}')
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", tag)
    assert ask(visitor, tag).status_code == 200  # Another row is marked as one's own.
    assert ask(tanuki, tag, f"{path}?page_size=1").status_code == 200
    assert ask(tanuki, "no tag at all").status_code == 200
    Round.objects.filter(pk=world.round.pk).update(feedback="none", board_version=F("board_version") + 1)
    changed = ask(tanuki, tag)
    assert changed.status_code == 200 and changed["ETag"] != tag
    hidden = {**visitor.headers, "if-none-match": tag}
    other = visitor.client.get(path.replace("demo", "secret"), headers=hidden)
    assert other.status_code == 404


def test_the_board_takes_at_most_six_queries(world: World, django_assert_max_num_queries) -> None:
    with django_assert_max_num_queries(6):
        world.callers["visitor"].get(f"{ROUND}leaderboard/")


def test_an_entry_goes_in_as_a_zip_or_as_three_files(world: World) -> None:
    tanuki = world.callers["tanuki"]
    made = tanuki.post(f"{ROUND}entries/", {"archive": upload(as_zip(entry_files("swap", 5))), "note": "n"})
    assert made.status_code == 201
    assert made.json()["team"] == "Tanuki"
    files = entry_files("swap", 6)
    parts = {
        "master": upload(files["M.csv"]),
        "transactions": upload(files["T.csv"]),
        "truth": upload(files["P.csv"]),
    }
    second = tanuki.post(f"{ROUND}entries/", parts).json()
    work_off()
    detail = tanuki.get(f"{ROUND}entries/{second['id']}/").json()
    assert detail["state"] == "valid"
    assert detail["is_settled"]
    assert {score["name"] for score in detail["scores"]} == {"ut-jaccard", "subset", "cmae", "rfm"}
    listed = tanuki.get(f"{ROUND}entries/").json()
    assert listed["count"] == Entry.objects.filter(team=world.tanuki).count()
    pinned = tanuki.send(f"{ROUND}entries/{world.entry.pk}/pin/").json()
    assert pinned["is_official"] and pinned["is_pinned"]


def test_a_team_changes_its_notes_and_what_the_archive_holds_of_it(world: World) -> None:
    tanuki, kitsune = world.callers["tanuki"], world.callers["kitsune"]
    path = f"{ROUND}entries/{world.entry.pk}/note/"
    assert tanuki.send(path, {"note": "a better plan"}).json() == {"note": "a better plan"}
    assert kitsune.send(path, {"note": "ours"}).status_code == 404
    assert tanuki.send(path, {"note": "x" * 201}).status_code == 422
    assert Entry.objects.get(pk=world.entry.pk).note == "a better plan"
    for consent in (True, False):
        answer = tanuki.send("contests/demo/team/archive/", {"consent": consent})
        assert answer.json() == {"consent": consent}
        world.tanuki.refresh_from_db()
        assert world.tanuki.in_archive is consent
    assert tanuki.send("contests/demo/team/archive/").status_code == 422
    assert world.callers["oni"].send("contests/demo/team/archive/", {"consent": True}).status_code == 404


def test_a_broken_entry_tells_its_team_where_and_nobody_else_anything(world: World) -> None:
    path = f"{ROUND}entries/{world.draft.pk}/"
    problems = world.callers["tanuki"].get(path).json()["problems"]
    assert problems and problems[0]["file"]
    assert world.callers["kitsune"].get(path).status_code == 404


def test_notes_and_problems_stay_with_the_team(world: World) -> None:
    path = f"{ROUND}entries/{world.entry.pk}/"
    assert world.callers["tanuki"].get(path).json()["note"] == "our secret plan"
    other = world.callers["kitsune"].get(path)
    assert other.status_code == 200
    assert b"secret plan" not in other.content


def test_before_the_reveal_nobody_learns_results(world: World) -> None:
    Round.objects.filter(pk=world.round.pk).update(feedback="none")
    own = world.callers["tanuki"].get(f"{ROUND}entries/{world.entry.pk}/").json()
    assert own["attack_runs"] == [] and own["safety"] is None and own["total"] is None
    assert world.callers["tanuki"].get(f"{ROUND}matrix/").json() == {
        "is_shown": False,
        "entries": [],
        "rows": [],
    }
    assert world.callers["tanuki"].get(f"{ROUND}attackers/").json()["results"] == []
    board = world.callers["visitor"].get(f"{ROUND}leaderboard/").json()["results"]
    assert {row["hits"] for row in board} == {None}
    kinds = {
        event["kind"] for event in world.callers["visitor"].get("contests/demo/events/").json()["events"]
    }
    assert "result" not in kinds
    assert world.callers["oni"].get(f"{ROUND}matrix/").json()["is_shown"]


def test_targets_guesses_and_their_outcome(world: World) -> None:
    tanuki = world.callers["tanuki"]
    targets = tanuki.get(f"{ROUND}targets/").json()["results"]
    assert [row["team"] for row in targets] == ["Kitsune"]
    number = targets[0]["id"]
    bundle = zipfile.ZipFile(io.BytesIO(b"".join(tanuki.get(f"{ROUND}targets.zip").streaming_content)))
    assert sorted(bundle.namelist()) == [f"{number}/M.csv", f"{number}/T.csv"]
    guess = b"1\n" + b"-\n" * (targets[0]["n_people"] - 1)
    made = tanuki.post(f"{ROUND}guesses/", {"archive": upload(guess, f"{number}.csv")})
    assert made.status_code == 201, made.content
    work_off()
    outcome = tanuki.get(f"{ROUND}attacks/{made.json()['id']}/").json()
    assert outcome["is_settled"]
    assert outcome["runs"][0]["state"] == "done"
    own = upload(guess, f"{world.entry.pk}.csv")
    assert error_of(tanuki.post(f"{ROUND}guesses/", {"archive": own}))["code"] == "not-a-target"
    zipped = upload(as_zip({f"{number}.csv": guess}))
    assert tanuki.post(f"{ROUND}guesses/", {"archive": zipped}).status_code == 201
    broken = upload(b"PK\x03\x04 no zip")
    assert error_of(tanuki.post(f"{ROUND}guesses/", {"archive": broken}))["code"] == "bad-archive"


def test_before_the_entries_are_frozen_no_target_is_handed_out(world: World) -> None:
    Round.objects.filter(pk=world.round.pk).update(feedback="bands")
    tanuki = world.callers["tanuki"]
    assert tanuki.get(f"{ROUND}targets/").json()["results"] == []
    assert tanuki.get(f"{ROUND}targets.zip").status_code == 404


def test_a_program_is_refused_at_once_where_no_sandbox_could_run_it(world: World) -> None:
    tanuki = world.callers["tanuki"]
    bad = tanuki.post(f"{ROUND}programs/", {"program": upload(b"PK\x03\x04broken", "x.zip")})
    assert bad.status_code == 422
    assert error_of(bad)["code"] == "bad-program"
    program = upload(b"print('no')\n", "reidentify.py")
    dry = tanuki.post(f"{ROUND}programs/", {"program": program, "dry_run": "true"})
    assert error_of(dry)["code"] == "no-practice-entry"
    made = tanuki.post(f"{ROUND}programs/", {"program": upload(b"print('no')\n", "reidentify.py")})
    assert made.status_code == 201
    assert Attack.objects.get(pk=made.json()["id"]).kind == "program"


def test_logs_and_reasons_are_the_owners(world: World) -> None:
    attack = house_attack(world.round)
    AttackRun.objects.filter(attack=attack).update(log="deep inside", reason="why")
    path = f"{ROUND}attacks/{attack.pk}/"
    assert b"deep inside" in world.callers["oni"].get(path).content
    assert b"deep inside" not in world.callers["tanuki"].get(path).content


def test_organisers_announce_order_house_entries_steer_and_watch(world: World) -> None:
    oni = world.callers["oni"]
    made = oni.send("contests/demo/announcements/", {"title": "Hello", "body": "**now**"})
    assert made.status_code == 201
    assert Announcement.objects.get().author == user("oni")
    order = {"round": "practice", "method": "swap", "parameters": {"share": "0.5"}, "seed": 3}
    assert oni.send("contests/demo/house-entries/", order).status_code == 201
    wrong = oni.send("contests/demo/house-entries/", {**order, "parameters": {"share": "7"}})
    assert wrong.status_code == 422
    assert error_of(wrong)["code"] == "bad-parameters"
    work_off()
    assert Entry.objects.filter(team__name="House · swap (share=0.5)", state="valid").exists()
    attack = house_attack(world.round)
    assert oni.send(f"contests/demo/attacks/{attack.pk}/steer/", {"act": "stop"}).json()["is_active"] is False
    oni.send(f"contests/demo/attacks/{attack.pk}/steer/", {"act": "resume"})
    again = oni.send(f"contests/demo/attacks/{attack.pk}/steer/", {"act": "rerun", "reason": "test"})
    assert again.json()["queued"] == 3
    cell = oni.send("contests/demo/rerun/", {"entry": world.entry.pk, "reason": "again"})
    assert cell.json() == {"queued": 0}  # It waits already.
    jobs = oni.get("contests/demo/jobs/", page_size=200).json()
    assert jobs["count"] == Job.objects.count()
    assert world.callers["tengu"].get("contests/secret/jobs/").json()["count"] == 0


def test_the_feed_tells_in_order_what_is_public(world: World) -> None:
    visitor = world.callers["visitor"]
    world.callers["oni"].send("contests/demo/announcements/", {"title": "Hello"})
    extend_all_chains()
    feed = visitor.get("contests/demo/events/").json()
    assert [event["kind"] for event in feed["events"]] == [
        "official-entry",
        "official-entry",
        "result",
        "result",
        "announcement",
    ]
    assert feed["more"] is False
    assert visitor.get("contests/demo/events/", after=feed["after"]).json()["events"] == []
    assert error_of(visitor.get("contests/demo/events/", after="x"))["code"] == "invalid-request"


def test_a_team_is_made_joined_and_shown(world: World) -> None:
    neko = world.callers["neko"]
    assert neko.get("contests/demo/team/").status_code == 404
    assert neko.send("contests/demo/team/", {"name": "Neko House"}).status_code == 201
    taken = neko.send("contests/demo/team/", {"name": "Other"})
    assert (taken.status_code, error_of(taken)["code"]) == (409, "already-in-team")
    link = neko.send("contests/demo/team/invitations/").json()["url"]
    make_user("usagi")
    from contest.services.tokens import create_token

    usagi = Caller(create_token(user("usagi"), "x", ["submit"], 7))
    joined = usagi.send("join/", {"token": link.rstrip("/").rsplit("/", 1)[1]})
    assert [member["name"] for member in joined.json()["members"]] == ["neko", "usagi"]
    create_invitation(world.tanuki, user("tanuki"))
    invitation = world.tanuki.invitations.get()
    assert neko.delete(f"contests/demo/team/invitations/{invitation.pk}/").status_code == 404
    gone = world.callers["tanuki"].delete(f"contests/demo/team/invitations/{invitation.pk}/")
    assert gone.status_code == 204


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"),
    [
        ("get", "nowhere/", None, 404, "not-found"),
        ("get", "contests/no-such/", None, 404, "not-found"),
        ("get", "contests/?page=99", None, 404, "not-found"),
        ("post", "contests/", b"{}", 405, "method-not-allowed"),
        ("post", "contests/demo/team/", b"{", 400, "malformed-json"),
        ("post", "contests/demo/team/", b"[" * 100_000, 400, "malformed-json"),
        ("post", "contests/demo/team/", b'{"name": NaN}', 400, "malformed-json"),
        ("post", "contests/demo/team/", b" " * 1_100_000, 400, "json-too-long"),
        ("post", "contests/demo/team/", b'{"name": ""}', 422, "invalid-request"),
        ("post", "contests/demo/team/", b'{"name": "a\\u0000b"}', 422, "invalid-request"),
        ("post", "contests/demo/team/", b'{"name": "a\\u200bb"}', 422, "invalid-request"),
        ("post", f"{ROUND}entries/", b"{}", 422, "invalid-request"),
        ("get", f"{ROUND}entries/99999999999999999999999/", None, 404, "not-found"),
    ],
)
def test_every_error_has_one_shape_and_a_stable_code(
    world: World, method: str, path: str, body: bytes | None, status: int, code: str
) -> None:
    caller = world.callers["neko"]
    if path.startswith("contests/demo/rounds"):
        caller = world.callers["tanuki"]
    client = caller.client
    options = {"content_type": "application/json"} if body is not None else {}
    response = getattr(client, method)(f"/api/v1/{path}", body, headers=caller.headers, **options)
    assert (response.status_code, error_of(response)["code"]) == (status, code)


def test_a_body_of_another_type_and_a_file_too_large_are_told(world: World, settings) -> None:
    tanuki = world.callers["tanuki"]
    plain = tanuki.post(f"{ROUND}entries/", "hello", content_type="text/plain")
    assert (plain.status_code, error_of(plain)["code"]) == (415, "unsupported-media-type")
    settings.UPLOAD_MAX_BYTES = 10
    large = tanuki.post(f"{ROUND}entries/", {"archive": upload(b"x" * 11)})
    assert (large.status_code, error_of(large)["code"]) == (413, "file-too-large")


def test_our_own_fault_is_told_without_its_inside(world: World, monkeypatch) -> None:
    def broken(*args: object) -> None:
        raise RuntimeError("the password is swordfish")

    monkeypatch.setattr("contest.board.queries.contest_cards", broken)
    response = world.callers["visitor"].get("contests/")
    assert (response.status_code, error_of(response)["code"]) == (500, "our-fault")
    assert b"swordfish" not in response.content


def test_who_calls_too_often_is_told_when_to_come_back(world: World, settings) -> None:
    cache.clear()
    settings.API_RATES = {"anonymous": "2/min", "token": "3/min", "write": "1/min"}
    statuses = [world.callers["visitor"].get("contests/").status_code for _ in range(3)]
    assert statuses == [200, 200, 429]
    last = world.callers["visitor"].get("contests/")
    assert error_of(last)["code"] == "too-many-requests"
    assert 1 <= int(last["Retry-After"]) <= 61
    forged = {"x-forwarded-for": "203.0.113.9"}
    assert Client().get("/api/v1/contests/", headers=forged).status_code == 429
    tanuki = [world.callers["tanuki"].get("contests/").status_code for _ in range(4)]
    assert tanuki == [200, 200, 200, 429]
    assert world.callers["kitsune"].get("contests/").status_code == 200


def test_lists_come_in_pages(world: World) -> None:
    first = world.callers["tanuki"].get(f"{ROUND}entries/", page_size=1).json()
    assert first["count"] == 2 and len(first["results"]) == 1
    assert first["previous"] is None and "page=2" in first["next"]


def test_the_document_and_its_page_can_be_read_without_scripts(world: World) -> None:
    document = Client().get("/api/v1/schema/").json()
    assert document["openapi"].startswith("3.")
    page = Client().get(reverse("api-docs"))
    assert page.status_code == 200
    text = page.content.decode()
    for path in document["paths"]:
        assert path in text
    assert "'unsafe" not in page["Content-Security-Policy"]


def test_a_token_is_shown_once_and_kept_only_as_a_hash(world: World) -> None:
    client = Client()
    client.force_login(user("tanuki"))
    form = {"name": "my script", "scopes": ["read"], "days": "30", "team": ""}
    page = client.post(reverse("tokens"), form, follow=True).content.decode()
    secret = page.split('class="invitation">')[1].split("<")[0]
    assert secret.startswith("kkb_")
    assert secret not in client.get(reverse("tokens")).content.decode()
    token = user("tanuki").api_tokens.get(name="my script")
    assert secret not in json.dumps([token.token_sha256, token.hint, token.scopes])
    caller = Caller(secret)
    assert caller.get("me/").json()["scopes"] == ["read"]
    denied = caller.send("contests/demo/team/", {"name": "x"})
    assert (denied.status_code, error_of(denied)["code"]) == (403, "scope-missing")
    token.refresh_from_db()
    assert token.last_used_at is not None
    other = Client()
    other.force_login(user("kitsune"))
    assert other.post(reverse("token_revoke", args=[token.pk])).status_code == 404
    client.post(reverse("token_revoke", args=[token.pk]))
    assert error_of(caller.get("me/"))["code"] == "token-revoked"
    verbs = AuditEvent.objects.filter(subject=f"apitoken {token.pk}").values_list("verb", flat=True)
    assert list(verbs) == ["token.revoked", "token.created"]


def test_a_teams_token_works_in_its_contest_while_its_maker_is_a_member(world: World) -> None:
    from contest.services.tokens import create_token

    caller = Caller(create_token(user("tanuki"), "ci", ["read", "submit"], 7, world.tanuki))
    assert caller.get("contests/demo/team/").json()["name"] == "Tanuki"
    assert caller.get("me/").json()["contest"] == "demo"
    for slug in ("secret", "no-such"):
        assert error_of(caller.get(f"contests/{slug}/"))["code"] == "token-of-another-contest"
    world.tanuki.memberships.all().delete()
    response = caller.get("contests/demo/")
    assert (response.status_code, error_of(response)["code"]) == (401, "token-unknown")
    assert response["WWW-Authenticate"].startswith("Bearer")
