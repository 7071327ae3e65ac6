"""Awards: proposed by rules, confirmed by organisers, public after the results, undone with a reason."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from django.core.cache import cache
from django.db import IntegrityError, transaction
from django.test import Client

from contest.archive.importing import import_archive
from contest.archive.overall import archived_overall
from contest.board import single_flight_cache
from contest.board.awards import proposals
from contest.charts.certificate import runs
from contest.errors import Refused
from contest.models import AttackRun, AuditEvent, Award, Contest, Phase, Round, Team, User
from contest.pages.public_log import changes, public_events
from contest.services.awards import confirm_award, give_award, undo_award
from contest.services.team_status import remove_team
from contest.work.overall_verification import recount_overall
from contest.work.recounts import Recount
from contest.work.verification import recount
from tests.archives import archived, members, play
from tests.factories import make_team, make_user
from tests.overall_rounds import found_by, house_team, pair, reveal, scored

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def fresh(settings: Any) -> None:
    settings.API_RATES = {"anonymous": None, "token": None, "write": None}
    single_flight_cache.forget_everything()
    cache.clear()


@pytest.fixture
def contest() -> Contest:
    """Tanuki hides best, Neko seeks best, Kitsune is second in both; the house is better than all."""
    contest, first, final = pair()
    people = {name: make_user(name.lower()) for name in ("Tanuki", "Kitsune", "Neko")}
    teams = {name: make_team(contest, name, person) for name, person in people.items()}
    teams["House"] = house_team(contest, "House · swap")
    numbers = {"House": 99, "Tanuki": 80, "Kitsune": 70, "Neko": 60}
    for round_ in (first, final):
        # Of a hundred people nobody is found, so the total is the utility and 100.
        entries = {name: scored(round_, teams[name], utility) for name, utility in numbers.items()}
        found_by(teams["Neko"], entries["Tanuki"], 0.5)
        found_by(teams["Neko"], entries["Kitsune"], 0.3)
        found_by(teams["Kitsune"], entries["Tanuki"], 0.4)
        found_by(teams["Tanuki"], entries["Neko"], 0.9)
    return contest


def organiser(contest: Contest) -> User:
    return contest.organisers.select_related("user").get().user


def team(contest: Contest, name: str) -> Team:
    return Team.objects.get(contest=contest, name=name)


def first_of(contest: Contest, top: int) -> dict[str, str]:
    found = proposals(contest, top).candidates
    return {kind: candidates[0].team for kind, candidates in found.items()}


def own(contest: Contest, name: str = "Neko", **fields: str) -> Award:
    given = {"title_en": "Finest fur", "title_ja": "毛並み賞", "text": "It shines.", "reason": "Look at it."}
    return give_award(contest, organiser(contest), team(contest, name), **given | fields)


def log(contest: Contest) -> list[str]:
    return [change.text for change in changes(contest, list(public_events(contest)))]


def test_the_rules_by_hand(contest: Contest) -> None:
    # The two best entries are Tanuki's and Kitsune's. Neko found 0.5 and 0.3 of them, Kitsune 0.4 of the only
    # one that is not its own, and Tanuki nothing of Kitsune's: what it found of Neko's is not among them,
    # and who found nobody is no candidate.
    found = proposals(contest, 2).candidates
    # Of equal shares that of the team which registered first is the better one.
    assert [(one.team, one.basis["percent"]) for one in found["seeker"]] == [
        ("Kitsune", pytest.approx(40)), ("Neko", pytest.approx(40))
    ]  # fmt: skip
    assert [one.team for one in found["hider"]] == ["Tanuki", "Kitsune", "Neko"]
    # Against all three: Tanuki found 0.9 / 2, Neko 0.8 / 2, Kitsune 0.4 / 2.
    seekers = proposals(contest, 3).candidates["seeker"]
    assert [(one.team, round(one.basis["percent"], 9)) for one in seekers] == [
        ("Tanuki", 45), ("Neko", 40), ("Kitsune", 20)
    ]  # fmt: skip
    # Places 1 and 1, 2 and 3, 3 and 2: the sums of the last two are equal, and Kitsune hides better.
    both = proposals(contest, 3).candidates["both"]
    assert [(one.team, one.basis) for one in both] == [
        ("Tanuki", {"hider": 1, "seeker": 1}),
        ("Kitsune", {"hider": 2, "seeker": 3}),
        ("Neko", {"hider": 3, "seeker": 2}),
    ]
    assert first_of(contest, 1) == {"hider": "Tanuki", "seeker": "Neko", "both": "Kitsune"}


def test_computed_awards_wait_for_the_results_of_every_round(contest: Contest) -> None:
    with pytest.raises(Refused) as refusal:
        confirm_award(contest, organiser(contest), "hider", team(contest, "Tanuki"))
    assert refusal.value.code == "results-not-out"
    reveal(contest)
    Round.objects.filter(contest=contest, slug="final").update(revealed_at=None)
    with pytest.raises(Refused):
        confirm_award(contest, organiser(contest), "hider", team(contest, "Tanuki"))
    reveal(contest)
    award = confirm_award(contest, organiser(contest), "hider", team(contest, "Tanuki"))
    assert award.basis == {"total": 180.0}
    event = AuditEvent.objects.get(verb="award.given")
    assert (event.subject, event.actor, event.after["team"]) == (
        f"award {award.pk}", organiser(contest), "Tanuki"
    )  # fmt: skip


def test_an_award_goes_to_whom_its_rule_names_and_once(contest: Contest) -> None:
    reveal(contest)
    with pytest.raises(Refused) as refusal:
        confirm_award(contest, organiser(contest), "hider", team(contest, "Neko"))
    assert refusal.value.code == "changed-meanwhile"
    with pytest.raises(Refused) as refusal:
        confirm_award(contest, organiser(contest), "own", team(contest, "Neko"))
    assert refusal.value.code == "no-such-award"
    confirm_award(contest, organiser(contest), "seeker", team(contest, "Neko"), 1)
    with pytest.raises(Refused) as refusal:
        confirm_award(contest, organiser(contest), "seeker", team(contest, "Tanuki"), 3)
    assert refusal.value.code == "given-already"
    assert AuditEvent.objects.filter(verb="award.given").count() == 1


def test_an_award_of_the_organisers_needs_a_team_titles_and_a_reason(contest: Contest) -> None:
    for fields, code in (({"reason": " "}, "no-reason"), ({"title_ja": " "}, "no-title"),
                         ({"reason": "x" * 301}, "reason-too-long")):  # fmt: skip
        with pytest.raises(Refused) as refusal:
            own(contest, **fields)
        assert refusal.value.code == code
    with pytest.raises(Refused) as refusal:
        own(contest, "House · swap")
    assert refusal.value.code == "no-competitor"
    other, _, _ = make_other()
    with pytest.raises(Refused):
        give_award(other, organiser(other), team(contest, "Neko"), title_en="a", title_ja="b", text="",
                   reason="c")  # fmt: skip
    assert not Award.objects.exists()
    with pytest.raises(IntegrityError), transaction.atomic():
        Award.objects.create(
            contest=contest,
            team=team(contest, "Neko"),
            kind="own",
            given_at=datetime.datetime.now(datetime.UTC),
        )


def make_other() -> tuple[Contest, Round, Round]:
    from tests.factories import make_contest, make_round

    contest = make_contest(make_user("other-oni"), slug="other")
    return contest, make_round(contest, slug="a"), make_round(contest, slug="b")


PUBLIC = ("/contests/both/overall/", "/contests/both/changes/", "/api/v1/contests/both/overall/",
          "/api/v1/contests/both/awards/", "/contests/both/")  # fmt: skip


def seen(contest: Contest, words: str) -> set[tuple[str, str]]:
    """Who reads some words where, of those who do not organise it."""
    found = set()
    for role in ("visitor", "neko"):
        client = Client()
        if role != "visitor":
            client.force_login(User.objects.get(username=role))
        for path in PUBLIC:
            if words in client.get(path).content.decode():
                found.add((role, path))
    return found


def test_nobody_hears_of_an_award_before_the_results_and_all_hear_of_it_then(contest: Contest) -> None:
    tag = Client().get("/api/v1/contests/both/overall/").headers["ETag"]
    own(contest)
    assert seen(contest, "Finest fur") == seen(contest, "Look at it") == set()
    assert Client().get("/api/v1/contests/both/overall/").headers["ETag"] == tag
    assert not [text for text in log(contest) if "award" in text]
    reveal(contest)
    shown = {path for _, path in seen(contest, "Finest fur")}
    assert shown == set(PUBLIC) - {"/contests/both/"}
    assert log(contest)[0] == "The award “Finest fur” was given to Neko."
    (row,) = Client().get("/api/v1/contests/both/awards/").json()["results"]
    assert (row["kind"], row["title"], row["team"], row["text"]) == (
        "own",
        "Finest fur",
        "Neko",
        "It shines.",
    )
    # Moved to later, the results are as secret as before.
    Phase.objects.filter(round__contest=contest, kind="results").update(
        starts_at=datetime.datetime.now(datetime.UTC) + datetime.timedelta(days=1)
    )
    assert seen(contest, "Finest fur") == set()


def test_an_award_that_is_undone_is_gone_and_stays_in_the_log(contest: Contest) -> None:
    reveal(contest)
    award = own(contest)
    assert seen(contest, "Finest fur")
    with pytest.raises(Refused) as refusal:
        undo_award(award, organiser(contest), " ")
    assert refusal.value.code == "no-reason"
    undo_award(award, organiser(contest), "It was dyed.")
    assert {path for _, path in seen(contest, "Finest fur")} == {"/contests/both/changes/"}
    said = changes(contest, list(public_events(contest)))[0]
    assert (said.text, said.reason) == ("The award “Finest fur” of Neko was undone.", "It was dyed.")
    with pytest.raises(Refused) as refusal:
        undo_award(award, organiser(contest), "Again.")
    assert refusal.value.code == "no-change"
    again = confirm_award(contest, organiser(contest), "hider", team(contest, "Tanuki"))
    undo_award(again, organiser(contest), "By mistake.")
    confirm_award(contest, organiser(contest), "hider", team(contest, "Tanuki"))
    assert Award.objects.filter(kind="hider").count() == 2


def test_a_removed_team_has_no_award_that_is_shown(contest: Contest) -> None:
    own(contest)
    remove_team(team(contest, "Neko"), organiser(contest), "Copied.")
    reveal(contest)
    assert {path for _, path in seen(contest, "Finest fur")} == {"/contests/both/changes/"}


def organise(contest: Contest) -> Client:
    client = Client()
    client.force_login(organiser(contest))
    return client


def test_organisers_do_all_this_on_their_page(contest: Contest) -> None:
    client, page = organise(contest), "/contests/both/organise/awards/"
    text = client.get(page).content.decode()
    assert "not revealed yet" in text
    assert "Give “" not in text
    reveal(contest)
    assert "Give “Best seeker” to Neko" in client.get(f"{page}?top=1").content.decode()
    assert "Give “Best seeker” to Tanuki" in client.get(f"{page}?top=3").content.decode()
    assert client.get(f"{page}?top=0").status_code == 200
    fields = {"kind": "seeker", "top": 1, "team": team(contest, "Neko").pk}
    assert "The award is given." in client.post(f"{page}confirm/", fields, follow=True).content.decode()
    assert Award.objects.get().basis == {"percent": pytest.approx(50), "top": 1}
    assert client.post(f"{page}give/", {"title_en": "Only English"}).status_code == 422
    given = {"title_en": "Fur", "title_ja": "毛", "team": team(contest, "Neko").pk, "reason": "Because."}
    assert client.post(f"{page}give/", given).status_code == 302
    # What was found since changes whose the award is by its rule; that is said, and nothing is changed.
    AttackRun.objects.filter(attack__team__name="Kitsune").update(risk=0.9)
    assert "By its rule it goes to another team now." in client.get(page).content.decode()
    award = Award.objects.get(kind="own")
    assert "Reason" in client.post(f"{page}{award.pk}/undo/", {}, follow=True).content.decode()
    client.post(f"{page}{award.pk}/undo/", {"reason": "No fur."})
    award.refresh_from_db()
    assert (award.undo_reason, award.undone_by) == ("No fur.", organiser(contest))


def certificate(client: Client, contest: Contest, name: str, rest: str) -> Any:
    return client.get(f"/contests/both/teams/{team(contest, name).pk}/certificates/{rest}")


def test_members_and_organisers_have_certificates_after_the_results(contest: Contest) -> None:
    award = own(contest)
    people = {name: Client() for name in ("neko", "tanuki")}
    for name, client in people.items():
        client.force_login(User.objects.get(username=name))
    people["organiser"] = organise(contest)
    for client in people.values():
        for rest in ("en/place.pdf", f"en/{award.pk}.pdf"):
            assert certificate(client, contest, "Neko", rest).status_code == 404
    reveal(contest)
    for rest in ("en/place.pdf", "ja/place.pdf", f"en/{award.pk}.pdf", f"ja/{award.pk}.pdf"):
        answers = {name: certificate(client, contest, "Neko", rest) for name, client in people.items()}
        assert {name: answer.status_code for name, answer in answers.items()} == {
            "neko": 200, "organiser": 200, "tanuki": 404
        }  # fmt: skip
        assert answers["neko"].content == answers["organiser"].content
        assert answers["neko"].content.startswith(b"%PDF-")
        assert certificate(Client(), contest, "Neko", rest).status_code == 302
    assert certificate(people["neko"], contest, "Neko", "fr/place.pdf").status_code == 404
    assert certificate(people["tanuki"], contest, "Tanuki", f"en/{award.pk}.pdf").status_code == 404
    assert certificate(people["organiser"], contest, "House · swap", "en/place.pdf").status_code == 404
    undo_award(award, organiser(contest), "It was dyed.")
    assert certificate(people["neko"], contest, "Neko", f"en/{award.pk}.pdf").status_code == 404


def test_what_a_certificate_says_in_both_languages(contest: Contest) -> None:
    reveal(contest)
    Contest.objects.filter(pk=contest.pk).update(time_zone="Pacific/Kiritimati")
    Phase.objects.filter(round__contest=contest, kind="results").update(
        starts_at=datetime.datetime(2026, 3, 9, 20, tzinfo=datetime.UTC)
    )
    client = organise(contest)
    english = certificate(client, contest, "Neko", "en/place.pdf").content
    # In the contest's zone, 14 hours ahead of UTC, the next day had begun.
    for text in ("Certificate", "Hide and seek", "Neko", "Place 3 of 3 in the overall result",
                 "March 10, 2026", "Organised by oni"):  # fmt: skip
        assert f"({text})".encode() in english, text
    japanese = certificate(client, contest, "Neko", "ja/place.pdf").content
    for text in ("賞状", "総合結果"):
        assert escaped(text) in japanese, text
    assert b"HeiseiMin-W3" in japanese


def escaped(text: str) -> bytes:
    """As a PDF writes UTF-16: what is no printable ASCII as octal numbers."""
    plain = {b"("[0]: b"\\(", b")"[0]: b"\\)", b"\\"[0]: b"\\\\"}
    return b"".join(
        plain.get(byte, bytes([byte]) if 32 <= byte < 127 else b"\\%03o" % byte)
        for byte in text.encode("utf-16-be")
    )


def test_every_character_has_a_font() -> None:
    assert [font for font, _ in runs("Aé 狸 한 Ω")] == [
        "Times-Roman", "HeiseiMin-W3", "Times-Roman", "HYSMyeongJo-Medium", "Times-Roman", "HeiseiMin-W3"
    ]  # fmt: skip


def test_archives_hold_the_result_and_the_awards_and_a_recount_compares_them(tmp_path: Any) -> None:
    contest = play()
    reveal(contest)
    first = proposals(contest, 1).first("hider")
    assert first is not None
    confirm_award(contest, organiser(contest), "hider", Team.objects.get(pk=first.team_id), 1)
    own(contest, "Tanuki")
    content = archived(contest)
    files = members(content)
    assert "House" not in (files["overall.csv"] + files["overall.json"]).decode()
    page = files["pages/contest.overall.html"].decode()
    assert "Finest fur" in page
    assert "Best hider" in page
    assert b'href="contest.overall.html"' in files["pages/index.html"]
    path = tmp_path / "played.zip"
    path.write_bytes(content)
    Contest.objects.filter(pk=contest.pk).update(slug="original", look_key="original")
    imported = import_archive(path, make_user())
    assert archived(imported) == content
    assert [(award.kind, award.team.name, award.team.contest) for award in imported.awards.all()] == [
        ("hider", first.team, imported), ("own", "Tanuki", imported)
    ]  # fmt: skip
    found = recount(imported)
    recount_overall(found, imported, archived_overall(path))
    assert found.differences == []
    assert (found.compared["award"], found.compared["overall place"]) == (1, 9)
    Round.objects.filter(contest=imported).update(weight=0.5)
    changed = Recount()
    recount_overall(changed, imported, archived_overall(path))
    assert any("overall rule" in text for text in changed.differences)
    imported.rounds.get().entries.filter(team__name=first.team, is_official=True).update(utility=1.0)
    assert any("award" in text for text in recount(imported).differences)
