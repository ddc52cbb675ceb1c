"""Learns a site's addresses from its inventory, a bounded sample of it."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from sitecrawl.classify.addresses import AddressModel, AddressReader, HostModel, folded_host
from sitecrawl.classify.languages import is_language_place, parse_code, primary_language
from sitecrawl.classify.paths import bare_addresses
from sitecrawl.classify.places import Folder, PlaceLearner, folders_of
from sitecrawl.classify.queryrules import parameters
from sitecrawl.classify.vocabulary import PageType
from sitecrawl.urls.columns import rows_with_query

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

SAMPLE_ROWS: Final = 20_000
_MAX_HOSTS: Final = 30
_MAX_PARAMETERS: Final = 200
_AGAIN: Final = 3
_AGREEING: Final = 0.8
_SAYING: Final = 0.5
_TYPE_NAMES: Final = frozenset(PageType)


class SpeakingPage(NamedTuple):
    """A page that says what it is or in which language, or could say so; absent text is ``""``."""

    url: str
    kind: str
    """What it says it is: the type of its structured data, or its kind of file."""
    language: str
    """What another page says of its language, or else it itself."""
    title: str


def learn_addresses(urls: Sequence[str], speaking: Sequence[SpeakingPage]) -> AddressModel:
    """What the addresses of a site have in common; the order of the pages does not matter."""
    marked = rows_with_query(urls)
    untyped = AddressModel(
        _learn_hosts(bare_addresses(urls, marked), speaking),
        parameters=_learn_parameters(urls[row] for row in marked),
    )
    # What pages say of themselves is told by template, so templates come first.
    return replace(untyped, types=_learn_types(speaking, AddressReader(untyped)))


def _learn_hosts(
    addresses: Iterable[str], speaking: Iterable[SpeakingPage]
) -> dict[str, HostModel]:
    folders: defaultdict[str, list[Folder]] = defaultdict(list)
    for host, inside in folders_of(addresses).items():
        folders[folded_host(host)] += inside
    said: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    for page in speaking:
        if page.language:
            host, path = _split(page.url)
            said[host].append((path, page.language))
    pages = {host: sum(folder.pages for folder in inside) for host, inside in folders.items()}
    by_size = sorted(pages, key=lambda host: (-pages[host], host))
    if not by_size:
        return {}
    languages = _language_hosts(by_size)
    groups: dict[str, list[str]] = {}
    for host in by_size[:_MAX_HOSTS]:
        groups.setdefault(_parent(host) if host in languages else host, []).append(host)
    main = next(iter(groups))
    models: dict[str, HostModel] = {}
    for group, hosts in groups.items():
        declared = _declared([pair for host in hosts for pair in said[host]])
        place = PlaceLearner(declared).learn([each for host in hosts for each in folders[host]])
        name = "" if group == main else f"//{{lang}}.{group}" if len(hosts) > 1 else f"//{group}"
        for host in hosts:
            models[host] = HostModel(place, name, languages.get(host, ""))
    return models


def _learn_parameters(marked: Iterable[str]) -> frozenset[str]:
    """The names of parameters that come again; a site may make up any number of others."""
    queries = (url.partition("#")[0].partition("?")[2] for url in marked)
    names = Counter(name for query in queries for name, _ in parameters(query))
    frequent = sorted((-number, name) for name, number in names.items() if number >= _AGAIN)
    return frozenset(name for _, name in frequent[:_MAX_PARAMETERS])


def _split(url: str) -> tuple[str, str]:
    """The host and the path without the rest."""
    host, slash, path = url.partition("://")[2].partition("/")
    if not slash:
        host = host.partition("?")[0].partition("#")[0]
    return folded_host(host), "/" + path.partition("#")[0].partition("?")[0]


def _parent(host: str) -> str:
    return host.partition(".")[2]


def _language_hosts(hosts: Iterable[str]) -> dict[str, str]:
    """Hosts such as ``de.example.com``, if there are several languages of one."""
    labels: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for host in hosts:
        label, dot, parent = host.partition(".")
        if dot and parse_code(label):
            labels[parent][label] = host
    return {
        host: parse_code(label)
        for named in labels.values()
        if is_language_place(named)
        for label, host in named.items()
    }


def _declared(said: Iterable[tuple[str, str]]) -> Mapping[tuple[str, ...], set[str]]:
    """Segments that agree with what nearly all pages below them say of their language."""
    agreeing: Counter[tuple[tuple[str, ...], str]] = Counter()
    total: Counter[tuple[tuple[str, ...], str]] = Counter()
    for path, language in said:
        segments = tuple(path.strip("/").split("/", 2)[:2])
        for depth, segment in enumerate(segments):
            if code := parse_code(segment):
                place = (segments[:depth], segment)
                total[place] += 1
                agreeing[place] += primary_language(code) == primary_language(language)
    found: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
    for (way, segment), number in total.items():
        if agreeing[way, segment] >= _AGREEING * number:
            found[way].add(segment)
    return found


def _learn_types(speaking: Sequence[SpeakingPage], reader: AddressReader) -> dict[str, PageType]:
    """By template, what its pages say they are, if most that could say so agree."""
    told: defaultdict[str, Counter[str]] = defaultdict(Counter)
    could: Counter[str] = Counter()
    able = [page for page in speaking if page.title or page.kind in _TYPE_NAMES]
    for page, spot in zip(able, reader.read([page.url for page in able]), strict=True):
        could[spot.template] += 1
        if page.kind in _TYPE_NAMES:
            told[spot.template][page.kind] += 1
    types: dict[str, PageType] = {}
    for template, kinds in told.items():
        [(kind, number)] = kinds.most_common(1)
        is_agreed = number >= _AGREEING * kinds.total()
        if is_agreed and kinds.total() >= _SAYING * could[template]:
            types[template] = PageType(kind)
    return types
