"""The public events of a contest as Atom and RSS, in the language that the address names."""

from __future__ import annotations

import datetime
import hashlib

from django.conf import settings
from django.contrib.syndication.views import Feed
from django.http import Http404, HttpResponse
from django.urls import reverse
from django.utils import translation
from django.utils.cache import get_conditional_response
from django.utils.feedgenerator import Atom1Feed, Rss201rev2Feed, SyndicationFeed
from django.utils.http import quote_etag
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from contest import access
from contest.models import Contest
from contest.pages.watching import Told, Watched, watched
from contest.views.requests import PageRequest

KINDS: dict[str, type[SyndicationFeed]] = {"atom": Atom1Feed, "rss": Rss201rev2Feed}


@require_safe
def contest_feed(request: PageRequest, slug: str, kind: str) -> HttpResponse:
    """Events and announcements, newest first; who has the newest already gets 304."""
    if kind not in KINDS:
        raise Http404
    contest = access.contest_for(request.user, slug)
    wanted = request.GET.get("lang", "")
    language = wanted if wanted in dict(settings.LANGUAGES) else settings.LANGUAGE_CODE
    with translation.override(language):
        seen = watched(contest, None)
        facts = (contest.slug, contest.title, contest.summary, kind, language, seen.version)
        etag = quote_etag(hashlib.sha256(repr(facts).encode()).hexdigest()[:32])
        known = get_conditional_response(request, etag=etag)
        answer = known or _written(request, contest, seen, kind, language)
    answer.headers["ETag"] = etag
    if not contest.is_public:
        answer.headers["Cache-Control"] = "private, no-store"
    return answer


def _written(request: PageRequest, contest: Contest, seen: Watched, kind: str, language: str) -> HttpResponse:
    feed = EventFeed(contest, seen.events, kind, language)
    answer: HttpResponse = feed(request)
    # What was hidden appears at its old time once it is revealed, so the newest time says nothing.
    del answer.headers["Last-Modified"]
    return answer


class EventFeed(Feed):
    """The feed of one contest. All its addresses are those of the site, not of the request."""

    def __init__(self, contest: Contest, events: list[Told], kind: str, language: str) -> None:
        self.events = events
        self.feed_type = KINDS[kind]
        self.language = language
        self.title = _("%(contest)s: what happens") % {"contest": contest.title}
        self.description = self.subtitle = contest.summary
        self.site = settings.SITE_URL.rstrip("/")
        self.contest = contest
        self.link = self.site + contest.get_absolute_url()
        self.feed_url = f"{self.site}{reverse('event_feed', args=[contest.slug, kind])}?lang={language}"
        self.feed_guid = self.link

    def items(self) -> list[Told]:
        return self.events

    def item_title(self, told: Told) -> str:
        return told.words

    def item_description(self, told: Told) -> str:
        return told.words

    def item_link(self, told: Told) -> str:
        if told.event.round is None:
            return f"{self.link}#news"
        return self.site + reverse("events", args=[self.contest.slug, told.event.round])

    def item_guid(self, told: Told) -> str:
        return f"{self.link}#{told.key}"

    item_guid_is_permalink = False

    def item_pubdate(self, told: Told) -> datetime.datetime:
        return told.event.at

    def item_updateddate(self, told: Told) -> datetime.datetime:
        return told.event.at
