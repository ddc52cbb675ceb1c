"""``sitecrawl dive``, ``search`` and ``ask``: what a site says."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from sitecrawl.cli.filters import (
    CategoryOption,
    ClusterOption,
    LanguageOption,
    TypeOption,
    checked_category,
    checked_language,
    checked_type,
)
from sitecrawl.cli.options import (
    DatabaseOption,
    ProfileOption,
    SettingOption,
    SiteArgument,
    parse_assignments,
    with_option_groups,
)
from sitecrawl.cli.tables import JsonOption
from sitecrawl.errors import ExitCode
from sitecrawl.safety.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sitecrawl.dive.answers import Answer
    from sitecrawl.dive.reading import DiveCounts
    from sitecrawl.dive.search import Hit
    from sitecrawl.store.queries.page_filter import PageFilter

PrefixOption = Annotated[str, typer.Option("--prefix", help="Only URLs that begin with this.")]


@dataclass(frozen=True)
class SelectionOptions:
    """The options that choose the pages of a dive."""

    cluster: ClusterOption = ""
    template: Annotated[
        str, typer.Option("--template", help="Only of this template, such as '/blog/{slug}'.")
    ] = ""
    category: CategoryOption = ""
    type_: TypeOption = ""
    language: LanguageOption = ""
    prefix: PrefixOption = ""

    def page_filter(self) -> PageFilter:
        from sitecrawl.store.queries.page_filter import PageFilter

        return PageFilter(
            cluster=self.cluster,
            template=self.template,
            category=checked_category(self.category),
            page_type=checked_type(self.type_),
            language=checked_language(self.language),
            prefix=self.prefix,
        )


@with_option_groups
def dive(
    domain: SiteArgument,
    *,
    selection: SelectionOptions,
    all_: Annotated[bool, typer.Option("--all", help="All listed pages of the site.")] = False,
    fetch: Annotated[bool, typer.Option(help="Fetch pages whose body is not kept.")] = True,
    profile: ProfileOption = "default",
    setting: SettingOption = None,
    database: DatabaseOption = "",
) -> None:
    """Make the pages of a site searchable.

    A dive reads their texts, cuts them into passages and embeds these.

    \b
    sitecrawl dive example.com --cluster /docs
    sitecrawl dive example.com --all
    """
    from sitecrawl.config import ConfigError
    from sitecrawl.dive.dives import run_dive
    from sitecrawl.services.database import known_site
    from sitecrawl.services.scans import ScanRequest
    from sitecrawl.store.engine import open_database

    if not all_ and selection == SelectionOptions():
        raise ConfigError("say which pages: --cluster, --template, --prefix, ..., or --all")
    wanted = selection.page_filter()
    request = ScanRequest(
        profile=profile,
        database=database,
        settings=parse_assignments(setting or ()),
    )
    config = request.config()
    with open_database(config.database_url, create=False) as store:
        site = known_site(store, domain)
        result = run_dive(
            store, site, config, wanted, fetch=request if fetch else None, tell=_show_counts
        )
    if sys.stderr.isatty():
        typer.echo("", err=True)
    for line in _count_lines(result.counts):
        typer.echo(line)
    if not result.counts.pages and not result.counts.files:
        typer.echo(
            "no listed page is of this selection;"
            f" the paths of the site: sitecrawl tree {printable(site.key)}",
            err=True,
        )
    if result.notice:
        typer.echo(f"not all pages were fetched: {printable(result.notice)}", err=True)
        raise typer.Exit(ExitCode.PARTIAL)


def search(
    domain: SiteArgument,
    query: Annotated[str, typer.Argument(help="Words or a question.")],
    limit: Annotated[int, typer.Option(min=1, max=100, help="At most so many passages.")] = 5,
    cluster: ClusterOption = "",
    language: LanguageOption = "",
    prefix: PrefixOption = "",
    as_json: JsonOption = False,
    database: DatabaseOption = "",
) -> None:
    """Find passages of a site by meaning and by words, after a dive.

    \b
    sitecrawl search example.com "how do I get a refund"
    sitecrawl search example.com refund --cluster /help --json
    """
    from sitecrawl.dive.dives import embedders_by_name, wanted_pages
    from sitecrawl.dive.search import search as find
    from sitecrawl.services.database import configured, known_site, reading
    from sitecrawl.store.queries.page_filter import PageFilter

    wanted = PageFilter(cluster=cluster, prefix=prefix)
    with reading(database) as store:
        site = known_site(store, domain)
        pages = wanted_pages(store, site, wanted)
        hits = find(
            store,
            site,
            query,
            limit=limit,
            pages=pages,
            language=language,
            embedder_named=embedders_by_name(configured()),
        )
    if as_json:
        typer.echo(json.dumps([_hit_data(hit) for hit in hits], ensure_ascii=False, indent=2))
        return
    if not hits:
        typer.echo("nothing found")
    for number, hit in enumerate(hits, 1):
        for line in _hit_lines(number, hit, query):
            typer.echo(line)


def ask(
    domain: SiteArgument,
    question: Annotated[str, typer.Argument(help="A question about what the site says.")],
    conversation: Annotated[
        int | None, typer.Option(help="Go on with the conversation of this number.")
    ] = None,
    as_json: JsonOption = False,
    database: DatabaseOption = "",
) -> None:
    """Answer a question from what a site says, after a dive.

    The answer names its sources.

    \b
    sitecrawl ask example.com "Can I cancel an order?"
    """
    from sitecrawl.dive.answers import Answer, ask_stream, configured_model
    from sitecrawl.dive.dives import embedders_by_name
    from sitecrawl.services.database import configured, known_site
    from sitecrawl.store.engine import open_database

    config = configured()
    with open_database(database or config.database_url, create=False) as store:
        site = known_site(store, domain)
        model = configured_model(store, site, config)
        for part in ask_stream(
            store,
            site,
            question,
            model=model,
            conversation_id=conversation,
            embedder_named=embedders_by_name(config),
            drops_unsupported=config.drops_unsupported,
        ):
            if isinstance(part, Answer):
                _show_answer(part, as_json=as_json)
            elif not as_json:
                typer.echo(printable(part), nl=False)


def gaps(
    domain: SiteArgument,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="At most so many questions.")] = 50,
    as_json: JsonOption = False,
    database: DatabaseOption = "",
) -> None:
    """List the questions that a site did not answer.

    The most frequent come first.

    \b
    sitecrawl gaps example.com
    """
    from sitecrawl.dive.answers import list_gaps
    from sitecrawl.services.database import known_site, reading

    with reading(database) as store:
        found = list_gaps(store, known_site(store, domain), limit)
    if as_json:
        typer.echo(json.dumps([asdict(gap) for gap in found], default=str, ensure_ascii=False))
        return
    if not found:
        typer.echo("no question was left without an answer")
    for gap in found:
        typer.echo(f"{gap.asked:>5}  {printable(gap.question)}")


def similar(
    url: Annotated[str, typer.Argument(help="A page that a dive has read.")],
    limit: Annotated[int, typer.Option(min=1, max=100, help="At most so many pages.")] = 10,
    as_json: JsonOption = False,
    database: DatabaseOption = "",
) -> None:
    """List the pages nearest in meaning to a page, after a dive.

    \b
    sitecrawl similar https://example.com/docs/install
    """
    from sitecrawl.dive.topics import similar_pages
    from sitecrawl.services.database import asking
    from sitecrawl.services.explain import find_page_id

    with asking(database, url) as asked:
        found = similar_pages(asked.database, asked.site, find_page_id(asked, url), limit)
    if as_json:
        typer.echo(json.dumps([asdict(page) for page in found], ensure_ascii=False))
        return
    for page in found:
        typer.echo(f"{page.cosine:.2f}  {printable(page.url)}")


def topics(
    domain: SiteArgument,
    as_json: JsonOption = False,
    database: DatabaseOption = "",
) -> None:
    """List the topics of a site, and pages that compete.

    Topics are clusters by meaning. They need a dive.

    \b
    sitecrawl topics example.com
    """
    from sitecrawl.dive.topics import list_competing, topic_map
    from sitecrawl.services.database import known_site, reading

    with reading(database) as store:
        site = known_site(store, domain)
        found, rivals = topic_map(store, site), list_competing(store, site)
    if as_json:
        data = {**asdict(found), "competing": [asdict(each) for each in rivals]}
        typer.echo(json.dumps(data, ensure_ascii=False))
        return
    if not found.topics:
        typer.echo("no topics yet: they need a dive into at least four pages")
    for topic in found.topics:
        typer.echo(f"{topic.pages:>6}  {printable(topic.name)}")
    for pair in rivals:
        typer.echo(f"competing: {printable(pair.url)} and {printable(pair.other)} ({pair.words})")


def _show_counts(counts: DiveCounts) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(
            f"\r{counts.read + counts.unchanged:,} of {counts.pages:,} pages read,"
            f" {counts.embedded:,} passages embedded "
        )
        sys.stderr.flush()


def _count_lines(counts: DiveCounts) -> Iterator[str]:
    from sitecrawl.dive.reading import file_notices

    yield f"pages      {counts.pages:,}"
    if counts.files:
        yield f"files      {counts.files:,}"
    for words, number in (
        ("read", counts.read),
        ("unchanged since the last dive", counts.unchanged),
        ("without a kept body", counts.without_body),
        ("without text", counts.without_text),
        ("in other languages", counts.other_language),
        ("no longer listed, and forgotten", counts.removed),
    ):
        if number:
            yield f"           {number:,} {words}"
    yield from (f"           {notice}" for notice in file_notices(asdict(counts)))
    yield f"passages   {counts.passages:,} new, {counts.embedded:,} embedded"


def _hit_lines(number: int, hit: Hit, query: str) -> Iterator[str]:
    passage = hit.passage
    place = " > ".join(dict.fromkeys((passage.title, *passage.headings)))
    yield f"{number}. {printable(place)}{_file_place(passage.file_page)}"
    yield f"   {printable(hit.link)}"
    yield f"   score {hit.score.explained()}"
    for line in hit.highlighted(query).split("\n"):
        yield f"   {printable(line)}"
    yield ""


def _file_place(page: int | None) -> str:
    return f" (page {page})" if page else ""


def _hit_data(hit: Hit) -> dict[str, object]:
    return {
        **asdict(hit.passage),
        "link": hit.link,
        "score": asdict(hit.score),
    }


def _show_answer(answer: Answer, *, as_json: bool) -> None:
    from sitecrawl.dive.support import quoted_words

    if as_json:
        typer.echo(json.dumps(asdict(answer), ensure_ascii=False, indent=2))
        return
    typer.echo("")
    if answer.notice:
        typer.echo(f"({printable(answer.notice)})", err=True)
    for sentence in answer.unsupported:
        typer.echo(f"\nnot in its sources: {printable(sentence.text)}")
        typer.echo(f"     they do not have {printable(quoted_words(sentence.missing))}")
    for citation in answer.citations:
        place = " > ".join(dict.fromkeys((citation.title, *citation.headings)))
        typer.echo(f"\n[{citation.label}] {printable(place)}{_file_place(citation.file_page)}")
        typer.echo(f'     "{printable(citation.quote)}"')
        typer.echo(f"     {printable(citation.link)}")
    kinds = {
        "extractive": "sentences of the site itself",
        "model": f"written by {answer.model} from the sources above",
        "not_found": "the question is kept as a gap in the site's content",
    }
    typer.echo(f"\n({kinds[answer.kind]}; conversation {answer.conversation_id})", err=True)
