"""A log-in with a real OpenID Connect provider in Chromium, from the button to a page of one's own."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Page, expect

from contest.models import Identity, User
from contest.outside import oidc
from tests.browser.test_accessibility import AXE, faults
from tests.browser.visits import LOCALES, LOOKS
from tests.factories import PASSWORD, make_user
from tests.oidc_provider import running
from tests.oidc_provider.running import RealProvider, real_provider

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.slow]


@pytest.fixture
def campus(live_server: Any, settings: Any, tmp_path: Path) -> Iterator[RealProvider]:
    oidc.forget_everything()
    with real_provider(tmp_path, live_server.url) as provider:
        settings.OIDC_PROVIDERS = provider.settings
        yield provider


def agree(page: Page) -> None:
    """What somebody does at the provider."""
    page.get_by_label("Username").fill("hana")
    page.get_by_label("Password").fill(running.PASSWORD)
    page.get_by_role("button", name="Log in there").click()
    page.locator("input[name=allow]").click()


def test_from_the_button_to_a_page_of_ones_own(
    campus: RealProvider, live_server: Any, strict_context: BrowserContext
) -> None:
    page = strict_context.new_page()
    page.goto(f"{live_server.url}/login/?next=/tokens/")
    page.get_by_role("button", name="Continue with The Campus").click()
    page.wait_for_url(f"{campus.url}/accounts/login/**")
    agree(page)
    page.wait_for_url(f"{live_server.url}/signup/with/")
    expect(page.get_by_label("User name")).to_have_value("hana")
    expect(page.get_by_label("E-mail")).to_have_value("hana@example.org")
    assert faults(page, AXE.read_text(encoding="utf-8")) == []
    page.get_by_label("User name").fill("花子")
    page.get_by_role("button", name="Create the account").click()
    page.wait_for_url(f"{live_server.url}/tokens/")
    page.goto(f"{live_server.url}/account/")
    expect(page.locator("main")).to_contain_text("You log in as 花子")
    expect(page.get_by_role("row", name="The Campus")).to_contain_text("Unlink")
    assert User.objects.get().username == "花子"
    assert Identity.objects.get().issuer == f"{campus.url}/o"


def test_it_works_on_a_phone_without_javascript_and_in_japanese(
    campus: RealProvider, live_server: Any, browser: Browser
) -> None:
    """Linked on the page of the account, logged out, and logged in by it."""
    make_user("hana")
    context = browser.new_context(
        java_script_enabled=False, locale="ja-JP", viewport={"width": 390, "height": 800}
    )
    page = context.new_page()
    page.goto(f"{live_server.url}/login/")
    page.locator("input[name=username]").fill("hana")
    page.locator("input[name=password]").fill(PASSWORD)
    page.locator("main form.form button[type=submit]").click()
    page.goto(f"{live_server.url}/account/")
    page.get_by_role("link", name="キャンパス と連携する").click()
    page.locator("input[name=current]").fill(PASSWORD)
    page.locator("main form.form button[type=submit]").click()
    agree(page)
    page.wait_for_url(f"{live_server.url}/account/")
    expect(page.locator("main")).to_contain_text("連携を解除")
    context.clear_cookies(name="sessionid")
    page.goto(f"{live_server.url}/login/?next=/account/")
    page.get_by_role("button", name="キャンパス で続ける").click()
    # The provider still knows the browser, so that there is nothing left to do but to agree.
    page.locator("input[name=allow]").click()
    page.wait_for_url(f"{live_server.url}/account/")
    expect(page.locator("main")).to_contain_text("hana")
    context.close()


def test_axe_finds_nothing_on_these_pages_in_any_look(
    campus: RealProvider, live_server: Any, browser: Browser
) -> None:
    hana = make_user("hana")
    hana.set_unusable_password()
    hana.save()
    identity = Identity.objects.create(user=hana, issuer=f"{campus.url}/o", subject="0000-0002-1825-0097")
    client = Client()
    client.force_login(hana)
    own = f"/account/identities/{identity.pk}/unlink/", "/account/identities/campus/link/"
    pages = {
        "": ("/login/", "/signup/", "/login/with/campus/back/?state=made-up"),
        client.cookies["sessionid"].value: ("/account/", "/account/delete/", *own),
    }
    script = AXE.read_text(encoding="utf-8")
    said = []
    for look, (session, paths) in product(LOOKS, pages.items()):
        context = browser.new_context(
            viewport={"width": look.width, "height": 900},
            color_scheme=look.theme,
            locale=LOCALES[look.language],
            reduced_motion="reduce",
        )
        if session:
            context.add_cookies([{"name": "sessionid", "value": session, "url": live_server.url}])
        page = context.new_page()
        for path in paths:
            page.goto(live_server.url + path)
            said += [f"{path} {look}: {fault}" for fault in faults(page, script)]
        context.close()
    assert not said, "\n".join(said)
