"""A newspaper: dated articles, listings with pages of both kinds, tags, authors, feeds."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING

from tests.site.build import robots, rss
from tests.site.reply import Reply
from tests.site.sites.frame import (
    Frame,
    Link,
    Page,
    head_link,
    head_turns,
    link_list,
    pager,
)
from tests.site.sites.model import ExpectedMention, ExpectedRefusal, ModelSite, not_found
from tests.site.sites.prose import paragraphs

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.site.reply import Answer, Request

_HOME = Link("/", "Home")
_NEWS = Link("/news", "News")
_SECTIONS = ("politics", "culture", "science", "sport", "travel")
_TAGS = ("harbour", "budget", "music", "weather", "school", "trains", "elections")
_AUTHORS = ("ada-lund", "ben-okoro", "clara-voss")
_WORDS = ("harbour", "bridge", "council", "orchestra", "telescope", "regatta", "museum", "tram")
_ENDINGS = ("reopens", "votes-again", "wins", "waits", "moves", "grows", "closes-early")
_NEWEST = date(2026, 5, 14)
_ARTICLES = 60
_PER_NEWS_PAGE, _PER_SECTION_PAGE = 10, 4
_FRAME = Frame(
    "The Valley Courier",
    menu=(_NEWS, *(Link(f"/{name}", name.capitalize()) for name in _SECTIONS)),
    footer=(Link("/imprint", "Imprint"), Link("/authors", "Authors")),
)
_FEED = "/rss.xml"
_ORPHAN = "/2019/11/02/an-article-without-a-link"


@dataclass(frozen=True, slots=True)
class _Article:
    number: int

    @property
    def slug(self) -> str:
        word = _WORDS[self.number % len(_WORDS)]
        return f"{word}-{_ENDINGS[self.number % len(_ENDINGS)]}-{self.number}"

    @property
    def path(self) -> str:
        day = _NEWEST - timedelta(days=9 * self.number)
        return f"/{day:%Y/%m/%d}/{self.slug}"

    @property
    def link(self) -> Link:
        return Link(self.path, self.slug.replace("-", " ").capitalize())

    @property
    def section(self) -> str:
        return _SECTIONS[self.number % len(_SECTIONS)]

    @property
    def tags(self) -> Sequence[str]:
        return _TAGS[self.number % len(_TAGS)], _TAGS[(self.number * 3 + 1) % len(_TAGS)]

    @property
    def author(self) -> str:
        return _AUTHORS[self.number % len(_AUTHORS)]

    @property
    def is_only_in_the_feed(self) -> bool:
        return self.number == 7

    @property
    def has_amp(self) -> bool:
        return self.number < 3


def news_site() -> ModelSite:
    articles = [_Article(number) for number in range(_ARTICLES)]
    linked = [article for article in articles if not article.is_only_in_the_feed]
    pages = {target: _FRAME.render(page) for target, page in _pages(articles, linked)}

    def answer(request: Request) -> Answer:
        if request.target in pages:
            return Reply(pages[request.target], content_type="text/html; charset=utf-8")
        if request.target == _FEED:
            origin = f"http://{request.headers['Host']}"
            return rss(*(f"{origin}{article.path}?utm_source=rss" for article in articles[:20]))
        if request.target == "/robots.txt":
            return robots(disallow=("/preview/",))
        return not_found()

    return ModelSite(
        answer,
        truth=frozenset(pages),
        unlinked=frozenset({_ORPHAN}),
        refusals={
            _FEED: ExpectedRefusal("skipped_file_type"),
            "/preview/tomorrow": ExpectedRefusal("blocked_by_robots"),
            f"/news?page={_news_page_count(linked) + 1}": ExpectedRefusal("not_found"),
            "https://social.example/courier": ExpectedRefusal("offsite"),
            "mailto:desk@courier.example": ExpectedRefusal("scheme_not_allowed"),
        },
        mentions=_mentions(articles),
    )


def _pages(articles: Sequence[_Article], linked: Sequence[_Article]) -> Iterator[tuple[str, Page]]:
    yield (
        "/",
        Page(
            "Today",
            link_list(article.link for article in linked[:6])
            + link_list([Link("/preview/tomorrow", "Tomorrow's paper")]),
            head=head_link("alternate", _FEED, type="application/rss+xml", title="All news"),
            aside=link_list(_tag_link(tag) for tag in _TAGS[:3]),
        ),
    )
    news = ["/news", *(f"/news?page={n}" for n in range(2, _news_page_count(linked) + 1))]
    # The last page links to one that is not there any more.
    beyond = f"/news?page={len(news) + 1}"
    yield from _listing("News", news, linked, _PER_NEWS_PAGE, (_HOME,), beyond)
    for name in _SECTIONS:
        own = [article for article in linked if article.section == name]
        count = -(-len(own) // _PER_SECTION_PAGE)
        paths = [f"/{name}", *(f"/{name}/page/{number}" for number in range(2, count + 1))]
        yield from _listing(name.capitalize(), paths, own, _PER_SECTION_PAGE, (_HOME, _NEWS))
    for tag in _TAGS:
        tagged = link_list(article.link for article in linked if tag in article.tags)
        yield _tag_link(tag).href, Page(f"About {tag}", tagged, crumbs=(_HOME,))
    yield "/authors", Page("Authors", link_list(_author_link(name) for name in _AUTHORS))
    for name in _AUTHORS:
        own = [article for article in linked if article.author == name]
        newest = paragraphs(name, 1) + link_list(article.link for article in own[:5])
        yield _author_link(name).href, Page(_author_link(name).text, newest)
    contacts = [
        Link("https://social.example/courier", "Follow us"),
        Link("mailto:desk@courier.example", "Write to us"),
    ]
    yield "/imprint", Page("Imprint", paragraphs("imprint", 2) + link_list(contacts))
    for article in articles:
        yield from _article_pages(article, linked)
    yield _ORPHAN, Page("Forgotten", paragraphs("forgotten"))


def _listing(
    title: str,
    paths: Sequence[str],
    articles: Sequence[_Article],
    per_page: int,
    crumbs: tuple[Link, ...],
    beyond: str | None = None,
) -> Iterator[tuple[str, Page]]:
    for position, path in enumerate(paths):
        shown = articles[position * per_page : (position + 1) * per_page]
        turns = (
            paths[position - 1] if position else None,
            paths[position + 1] if position + 1 < len(paths) else beyond,
        )
        main = link_list(article.link for article in shown) + pager(*turns)
        yield path, Page(title, main, head=head_turns(*turns), crumbs=crumbs)


def _article_pages(article: _Article, linked: Sequence[_Article]) -> Iterator[tuple[str, Page]]:
    section = Link(f"/{article.section}", article.section.capitalize())
    near = linked[article.number : article.number + 2]
    signed = link_list([_author_link(article.author), *map(_tag_link, article.tags)])
    head = head_link("canonical", article.path)
    if article.has_amp:
        head += head_link("amphtml", f"{article.path}/amp")
    yield (
        article.path,
        Page(
            article.link.text,
            paragraphs(article.path, 6) + signed,
            head=head,
            crumbs=(_HOME, _NEWS, section),
            aside=f"<h2>Read on</h2>\n{link_list(other.link for other in near)}",
        ),
    )
    if article.has_amp:
        text = paragraphs(article.path, 6)
        canonical = head_link("canonical", article.path)
        yield f"{article.path}/amp", Page(article.link.text, text, head=canonical)


def _news_page_count(linked: Sequence[_Article]) -> int:
    return -(-len(linked) // _PER_NEWS_PAGE)


def _tag_link(tag: str) -> Link:
    return Link(f"/tag/{tag}", f"#{tag}")


def _author_link(name: str) -> Link:
    return Link(f"/authors/{name}", name.replace("-", " ").title())


def _mentions(articles: Sequence[_Article]) -> tuple[ExpectedMention, ...]:
    first, old = articles[0], articles[-1]
    in_the_feed = next(article for article in articles if article.is_only_in_the_feed)
    section = old.section.capitalize()
    return (
        ExpectedMention("/news", "/", "link", "navigation", "News"),
        ExpectedMention("/tag/budget", "/", "link", "aside", "#budget"),
        ExpectedMention("/imprint", "/news", "link", "footer", "Imprint"),
        ExpectedMention("/news?page=2", "/news", "link", "pagination", "Next"),
        ExpectedMention("/news?page=2", "/news", "link-next"),
        ExpectedMention("/news", "/news?page=2", "link-prev"),
        ExpectedMention("/sport/page/2", "/sport", "link", "pagination", "Next"),
        ExpectedMention(f"/{old.section}", old.path, "link", "breadcrumb", section),
        ExpectedMention(first.path, "/", "link", "content-link", first.link.text),
        ExpectedMention(first.path, first.path, "canonical"),
        ExpectedMention(f"{first.path}/amp", first.path, "amphtml"),
        ExpectedMention(_FEED, "/", "feed-link"),
        ExpectedMention(in_the_feed.path, _FEED, "feed"),
    )
