"""Accounts: letters, links, log-ins, throttles, and leaving. People: Hana, Ken, Mai."""

from __future__ import annotations

import re
import smtplib
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.contrib.auth.hashers import check_password
from django.core import mail as outbox
from django.core.exceptions import ValidationError
from django.core.mail import EmailMessage
from django.test import Client, RequestFactory
from django.urls import reverse
from django.utils import timezone, translation

from contest.client_address import client_address
from contest.errors import Refused
from contest.models import AccountToken, AuditEvent, Invitation, LogIn, Mail, Membership, User
from contest.outside.outbox import deliver, retry_waiting_mail
from contest.services import account_deletion, accounts, teams
from contest.token_hashes import hash_token
from tests.factories import PASSWORD, make_contest, make_entry, make_round, make_team, make_user, work_off

pytestmark = pytest.mark.django_db
NEW = "staple battery horse"


def sign_up(client: Client, name: str = "hana", **fields: str) -> User:
    form = {"username": name, "email": f"{name}@example.org", "password": PASSWORD, **fields}
    answer = client.post(reverse("signup"), form)
    assert answer.status_code == 302, answer.content.decode()
    return User.objects.get(username=name)


def log_in(client: Client, name: str, password: str = PASSWORD) -> int:
    return client.post(reverse("login"), {"username": name, "password": password}).status_code


def last_link() -> str:
    """The path of the link in the letter that was sent last."""
    found = re.search(r"https?://[^/\s]+(/\S+)", str(outbox.outbox[-1].body))
    assert found
    return found[1]


def is_logged_in(client: Client) -> bool:
    return client.get(reverse("account")).status_code == 200


@pytest.mark.parametrize(
    ("language", "words"),
    [
        (
            "en",
            "Please enter a correct user name and password. The password is case-sensitive, the name is not.",
        ),
        (
            "ja",
            "正しいユーザー名とパスワードを入力してください。"
            "大文字と小文字は、パスワードでは区別され、ユーザー名では区別されません。",
        ),
    ],
)
def test_a_refused_log_in_speaks_of_the_user_name(client: Client, language: str, words: str) -> None:
    """The column that is compared is called name_key; nobody outside of the database knows it."""
    make_user("hana")
    answer = client.post(
        reverse("login"), {"username": "hana", "password": "wrong"}, headers={"Accept-Language": language}
    )
    page = answer.content.decode()
    assert words in page
    assert "name key" not in page.lower()
    assert log_in(Client(), "HANA") == 302


def test_no_label_of_an_account_is_the_name_of_a_column() -> None:
    """Django puts these labels into its own sentences, such as that of a name that is taken."""
    taken = make_user("hana")
    other = User(username="hana", name_key=taken.name_key, email="x@example.org", email_key=taken.email_key)
    for language, name, email in (("en", "User name", "E-mail"), ("ja", "ユーザー名", "メールアドレス")):
        with translation.override(language):
            with pytest.raises(ValidationError) as refused:
                other.validate_unique()
            messages = refused.value.message_dict
        assert name in messages["name_key"][0]
        assert email in messages["email_key"][0]


def test_a_sign_up_sends_one_letter_whose_link_confirms_the_address_once(client: Client) -> None:
    user = sign_up(client)
    assert user.email_confirmed_at is None
    work_off()
    assert [letter.to for letter in outbox.outbox] == [["hana@example.org"]]
    link = last_link()
    stranger = Client()
    assert stranger.get(link).status_code == 200
    user.refresh_from_db()
    assert user.email_confirmed_at is None, "a mail program that opens links must not confirm"
    assert stranger.post(link).status_code == 302
    user.refresh_from_db()
    assert user.email_confirmed_at is not None
    assert stranger.get(link).status_code == 404
    assert AuditEvent.objects.filter(verb="user.confirmed_email", actor=user).count() == 1


def test_nothing_that_is_kept_holds_the_link(client: Client) -> None:
    sign_up(client)
    work_off()
    token = last_link().rstrip("/").rsplit("/", 1)[1]
    assert len(token) >= 40
    kept = [str(list(model.objects.values())) for model in (AccountToken, Mail, AuditEvent)]
    assert not any(token in row for row in kept)


def test_a_link_works_for_its_purpose_only_and_for_its_time_only(client: Client) -> None:
    user = sign_up(client)
    work_off()
    token = last_link().rstrip("/").rsplit("/", 1)[1]
    assert client.get(reverse("password_reset_confirm", args=[token])).status_code == 404
    AccountToken.objects.filter(user=user).update(expires_at=timezone.now() - timedelta(seconds=1))
    assert client.get(reverse("email_confirm", args=[token])).status_code == 404
    assert client.post(reverse("email_confirm", args=[token])).status_code == 404


def test_a_mail_server_that_is_down_loses_neither_the_sign_up_nor_the_letter(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def down(self: EmailMessage, fail_silently: bool = False) -> int:
        raise smtplib.SMTPServerDisconnected("gone")

    with monkeypatch.context() as patch:
        patch.setattr(EmailMessage, "send", down)
        user = sign_up(client)
        work_off()
    letter = Mail.objects.get(user=user)
    assert letter.sent_at is None and letter.tries == 1 and "gone" in letter.error
    assert is_logged_in(client)
    assert retry_waiting_mail() == 0, "it waits before it is tried again"
    Mail.objects.update(next_try_at=timezone.now() - timedelta(seconds=1))
    assert retry_waiting_mail() == 1
    assert retry_waiting_mail() == 0, "a worker is notified once"
    work_off()
    letter.refresh_from_db()
    assert letter.sent_at is not None and len(outbox.outbox) == 1
    assert not deliver(letter.pk), "a letter is sent once"
    assert len(outbox.outbox) == 1


def test_a_forgotten_password_is_set_by_the_link_once_and_ends_all_sessions(client: Client) -> None:
    user = sign_up(client)
    work_off()
    assert Client().post(reverse("password_reset"), {"email": "HANA@example.org"}).status_code == 302
    work_off()
    link = last_link()
    assert Client().get(link).status_code == 200
    assert Client().post(link, {"password": "1234"}).status_code == 422
    assert Client().post(link, {"password": NEW}).status_code == 302
    assert Client().post(link, {"password": PASSWORD}).status_code == 404
    user.refresh_from_db()
    assert check_password(NEW, user.password) and user.email_confirmed_at
    assert not is_logged_in(client)


def test_a_reset_tells_nobody_whether_an_address_is_known() -> None:
    make_user("ken")
    known = Client().post(reverse("password_reset"), {"email": "ken@example.org"})
    unknown = Client().post(reverse("password_reset"), {"email": "nobody@example.org"})
    assert (known.status_code, known.headers["Location"]) == (
        unknown.status_code,
        unknown.headers["Location"],
    )
    work_off()
    assert [letter.to for letter in outbox.outbox] == [["ken@example.org"]]


def test_another_address_counts_once_confirmed_and_the_old_one_is_told(client: Client) -> None:
    user = sign_up(client)
    work_off()
    form = {"email-email": "hana@new.example", "email-current": PASSWORD}
    assert client.post(reverse("account_email"), {**form, "email-current": "wrong"}).status_code == 422
    assert client.post(reverse("account_email"), form).status_code == 302
    work_off()
    user.refresh_from_db()
    assert user.email == "hana@example.org"
    assert outbox.outbox[-1].to == ["hana@new.example"]
    assert client.post(last_link()).status_code == 302
    work_off()
    user.refresh_from_db()
    assert user.email == "hana@new.example"
    assert outbox.outbox[-1].to == ["hana@example.org"]
    other = accounts.sign_up("other", "Hana@New.example", PASSWORD)
    assert other.email_key != user.email_key, "the address stays with its owner"


def test_an_address_that_somebody_took_meanwhile_is_refused(client: Client) -> None:
    user = sign_up(client)
    accounts.ask_to_change_email(user, "both@example.org")
    work_off()
    make_user("both")
    link = AccountToken.objects.get(purpose=AccountToken.Purpose.CHANGE)
    with pytest.raises(Refused) as refusal:
        accounts.confirm_email(link)
    assert refusal.value.code == "name-taken"
    link.refresh_from_db()
    assert link.used_at is None, "what was refused as a whole has used nothing"


def test_an_address_that_fails_too_often_with_a_name_must_wait_and_others_need_not(
    settings: LazySettings,
) -> None:
    settings.LOGIN_FAILURES = 3
    make_user("ken")
    make_user("mai")
    here, there = Client(REMOTE_ADDR="192.0.2.1"), Client(REMOTE_ADDR="192.0.2.2")
    answers = [log_in(here, "Ken", "wrong") for _ in range(3)]
    assert answers[:2] == [200, 200] and answers[2] == 429
    assert log_in(here, "ken") == 429, "the right password from there waits too"
    assert log_in(here, "mai") == 302, "another name need not"
    assert log_in(there, "ken") == 302, "nor the owner, elsewhere"


def test_sign_ups_from_one_address_are_counted(settings: LazySettings) -> None:
    settings.KNOCKS_AN_HOUR = 2
    for name in ("a1", "a2"):
        sign_up(Client(REMOTE_ADDR="192.0.2.9"), name)
    form = {"username": "a3", "email": "a3@example.org", "password": PASSWORD}
    assert Client(REMOTE_ADDR="192.0.2.9").post(reverse("signup"), form).status_code == 422
    assert not User.objects.filter(username="a3").exists()
    assert Client(REMOTE_ADDR="192.0.2.10").post(reverse("signup"), form).status_code == 302


def test_a_forged_proxy_header_does_not_change_the_address(settings: LazySettings) -> None:
    request = RequestFactory().get(
        "/", REMOTE_ADDR="192.0.2.1", headers={"X-Forwarded-For": "6.6.6.6, 203.0.113.5"}
    )
    assert client_address(request) == "192.0.2.1"
    settings.PROXIES = 1
    assert client_address(request) == "203.0.113.5"


def test_people_see_where_they_are_logged_in_and_end_one_or_all_others(client: Client) -> None:
    user = sign_up(client)
    second, third = Client(headers={"User-Agent": "Second"}), Client(headers={"User-Agent": "Third"})
    assert log_in(second, "hana") == log_in(third, "hana") == 302
    page = client.get(reverse("account")).content.decode()
    assert "Second" in page and "Third" in page
    target = LogIn.objects.get(user=user, browser="Second")
    stranger = make_user("ken")
    other = Client()
    other.force_login(stranger)
    assert other.post(reverse("account_end", args=[target.pk])).status_code == 404
    assert client.post(reverse("account_end", args=[target.pk])).status_code == 302
    assert (is_logged_in(second), is_logged_in(third), is_logged_in(client)) == (False, True, True)
    assert client.post(reverse("account_end_others")).status_code == 302
    assert (is_logged_in(third), is_logged_in(client), is_logged_in(other)) == (False, True, True)
    assert LogIn.objects.filter(user=user).count() == 1


def test_a_new_password_logs_out_every_other_browser(client: Client) -> None:
    sign_up(client)
    second = Client()
    log_in(second, "hana")
    form = {"password-current": PASSWORD, "password-password": NEW}
    assert client.post(reverse("account_password"), {**form, "password-current": "no"}).status_code == 422
    assert client.post(reverse("account_password"), form).status_code == 302
    assert is_logged_in(client) and not is_logged_in(second)
    assert log_in(Client(), "hana", NEW) == 302


def test_alias_language_and_zone_are_kept_and_used(client: Client) -> None:
    contest = make_contest(time_zone="Asia/Tokyo")
    round_ = make_round(contest)
    user = sign_up(client)
    team = make_team(contest, captain=user)
    form = {"profile-alias": "  The   Owl ", "profile-language": "ja", "profile-time_zone": "Europe/Paris"}
    answer = client.post(reverse("account_profile"), form)
    assert answer.status_code == 302 and answer.cookies["django_language"].value == "ja"
    user.refresh_from_db()
    assert (user.alias, user.language, user.time_zone) == ("The Owl", "ja", "Europe/Paris")
    page = client.get(reverse("team", args=[contest.slug, team.pk])).content.decode()
    assert "The Owl" in page and "hana</" not in page
    page = client.get(reverse("upload", args=[contest.slug, round_.slug])).content.decode()
    assert re.search(r"CES?T\)", page)
    assert client.post(reverse("account_profile"), {"profile-time_zone": "Mars/Base"}).status_code == 422
    fresh = Client()
    fresh.post(reverse("login"), {"username": "hana", "password": PASSWORD})
    assert fresh.cookies["django_language"].value == "ja"


def test_switching_the_language_is_remembered_by_the_account(client: Client) -> None:
    user = sign_up(client)
    assert client.get(reverse("set_language")).status_code == 405
    assert client.post(reverse("set_language"), {"language": "ja", "next": "/"}).status_code == 302
    user.refresh_from_db()
    assert user.language == "ja"
    client.post(reverse("set_language"), {"language": "xx", "next": "/"})
    user.refresh_from_db()
    assert user.language == "ja"


def test_where_it_is_asked_for_only_confirmed_people_make_or_join_teams(settings: LazySettings) -> None:
    settings.MUST_CONFIRM_EMAIL = True
    contest = make_contest()
    ken = make_user("ken")
    with pytest.raises(Refused) as refusal:
        teams.create_team(contest, ken, "Foxes")
    assert refusal.value.code == "email-unconfirmed"
    mai = make_user("mai", email_confirmed_at=timezone.now())
    team = teams.create_team(contest, mai, "Foxes")
    invitation = Invitation.objects.get(token_sha256=hash_token(teams.create_invitation(team, mai)))
    with pytest.raises(Refused) as refusal:
        teams.join_team(invitation, ken)
    assert refusal.value.code == "email-unconfirmed"


def test_deleting_an_account_forgets_the_person_and_keeps_the_entries(client: Client) -> None:
    round_ = make_round()
    hana = sign_up(client)
    team = make_team(round_.contest, "Foxes", hana)
    entry = make_entry(round_, team)
    ken = make_user("ken")
    invitation = Invitation.objects.get(token_sha256=hash_token(teams.create_invitation(team, hana)))
    teams.join_team(invitation, ken)
    work_off()
    page = client.get(reverse("account_delete")).content.decode()
    assert "last captain" in page and "ken" in page
    assert client.post(reverse("account_delete"), {"current": "wrong"}).status_code == 422
    assert client.post(reverse("account_delete"), {"current": PASSWORD}).status_code == 302
    assert not is_logged_in(client) and log_in(Client(), "hana") == 200
    hana.refresh_from_db()
    kept = " ".join(str(value) for value in User.objects.filter(pk=hana.pk).values().get().values())
    assert "hana" not in kept and not hana.is_active and not hana.has_usable_password()
    entry.refresh_from_db()
    assert entry.team == team
    assert Membership.objects.get(team=team).user == ken
    assert Membership.objects.get(team=team).role == Membership.Role.CAPTAIN
    invitation.refresh_from_db()
    assert not invitation.is_usable
    work_off()
    told = {letter.to[0]: letter.subject for letter in outbox.outbox}
    assert "captain" in told["ken@example.org"] and "deleted" in told["hana@example.org"]
    assert sign_up(Client(), "hana").pk != hana.pk, "the name is free again"


def test_the_only_organiser_of_a_contest_cannot_leave_it_alone() -> None:
    organiser = make_user("ken")
    make_contest(organiser, title="Spring")
    with pytest.raises(Refused, match="Spring"):
        account_deletion.delete_account(organiser)
    organiser.refresh_from_db()
    assert organiser.is_active and organiser.username == "ken"


def test_without_a_mail_server_letters_land_in_a_folder_and_the_page_says_so(
    client: Client, settings: LazySettings, tmp_path: Path
) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
    settings.EMAIL_FILE_PATH = str(tmp_path)
    user = sign_up(client)
    work_off()
    (letter,) = tmp_path.iterdir()
    assert "hana@example.org" in letter.read_text(encoding="utf-8")
    assert "var/mail" in client.get(reverse("account")).content.decode()
    assert user.is_active


def test_letters_are_in_the_language_of_the_person(client: Client) -> None:
    client.cookies["django_language"] = "ja"
    sign_up(client)
    work_off()
    letter = outbox.outbox[-1]
    assert re.search("[ぁ-ん]", letter.subject + str(letter.body)), letter.subject
