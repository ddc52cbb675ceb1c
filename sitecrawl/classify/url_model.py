"""What is learned from a site's URLs: folder trees of its hosts, declared types, parameters.

The model depends on the set of pages alone, not on their order.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sitecrawl.classify.language import are_language_segments, parse_code, primary_language
from sitecrawl.classify.page_types import parse_parameters
from sitecrawl.classify.pages import PAGE_TYPE_NAMES, PageType
from sitecrawl.classify.path_templates import (
    FolderCount,
    FolderNode,
    FolderTreeLearner,
    count_folders,
)
from sitecrawl.classify.paths import bare_url

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_MAX_HOSTS: Final = 30
_MAX_PARAMETERS: Final = 200
_MIN_PARAMETER_PAGES: Final = 3
# Of the pages that declare a language or a type, so many have to declare the same one.
_AGREEING_SHARE: Final = 0.8
# Of the fetched pages of a template, so many have to declare a type.
_DECLARING_SHARE: Final = 0.5
_UNIFORM_PAGES: Final = 5


@dataclass(frozen=True, slots=True)
class HostModel:
    """The model of one host, or of several that are one site in several languages."""

    tree: FolderNode = field(default_factory=FolderNode)
    prefix: str = ""
    """Of its templates; empty for the host with the most pages."""
    language: str = ""


@dataclass(frozen=True, slots=True)
class UrlModel:
    """The model of a site's URLs."""

    hosts: Mapping[str, HostModel] = field(default_factory=dict)
    types: Mapping[str, PageType] = field(default_factory=dict)
    """By template, the type that its fetched pages declare."""
    uniform: frozenset[str] = frozenset()
    """Templates of which so many pages declare their type that words of an address do not count."""
    parameters: frozenset[str] = frozenset()
    """Names of query parameters that several pages have."""

    def as_data(self) -> dict[str, Any]:
        """For JSON; hosts with the same tree refer to it by its number."""
        trees = list({id(each.tree): each.tree for each in self.hosts.values()}.values())
        numbers = {id(tree): number for number, tree in enumerate(trees)}
        return {
            "trees": [tree.as_data() for tree in trees],
            "hosts": {
                host: [numbers[id(each.tree)], each.prefix, each.language]
                for host, each in sorted(self.hosts.items())
            },
            "types": dict(sorted(self.types.items())),
            "uniform": sorted(self.uniform),
            "parameters": sorted(self.parameters),
        }

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> UrlModel:
        trees = [FolderNode.from_data(each) for each in data["trees"]]
        return cls(
            {
                host: HostModel(trees[number], prefix, language)
                for host, (number, prefix, language) in data["hosts"].items()
            },
            {template: PageType(name) for template, name in data["types"].items()},
            frozenset(data["uniform"]),
            frozenset(data["parameters"]),
        )


class DescribedPage(NamedTuple):
    """A page with more known of it than its URL; unknown text is ``""``."""

    url: str
    kind: str
    """The type that its structured data declares, or its kind of file."""
    language: str
    """By hreflang, else by the page itself."""
    title: str


def strip_www(host: str) -> str:
    """
    >>> strip_www("www.a.example"), strip_www("a.example:8080")
    ('a.example', 'a.example:8080')
    """
    return host.removeprefix("www.")


def learn_urls(urls: Sequence[str], described: Iterable[DescribedPage]) -> UrlModel:
    """Learn everything but the types: these are learned by template, with :func:`learn_types`."""
    return UrlModel(
        _learn_hosts(map(bare_url, urls), described),
        parameters=_learn_parameters(url for url in urls if "?" in url),
    )


class LearnedTypes(NamedTuple):
    """The fields of :class:`UrlModel`."""

    types: Mapping[str, PageType]
    uniform: frozenset[str]


def learn_types(fetched: Sequence[DescribedPage], templates: Sequence[str]) -> LearnedTypes:
    """By template, the type that most of its fetched pages declare."""
    declared: defaultdict[str, Counter[str]] = defaultdict(Counter)
    pages = Counter(templates)
    for page, template in zip(fetched, templates, strict=True):
        if page.kind in PAGE_TYPE_NAMES:
            declared[template][page.kind] += 1
    types: dict[str, PageType] = {}
    for template, kinds in declared.items():
        [(kind, number)] = kinds.most_common(1)
        is_agreed = number >= _AGREEING_SHARE * kinds.total()
        if is_agreed and kinds.total() >= _DECLARING_SHARE * pages[template]:
            types[template] = PageType(kind)
    uniform = (template for template in types if declared[template].total() >= _UNIFORM_PAGES)
    return LearnedTypes(types, frozenset(uniform))


def _learn_parameters(urls: Iterable[str]) -> frozenset[str]:
    """Frequent names of parameters; a site may make up any number of others."""
    queries = (url.partition("#")[0].partition("?")[2] for url in urls)
    names = Counter(name for query in queries for name, _ in parse_parameters(query))
    frequent = sorted(
        (-number, name) for name, number in names.items() if number >= _MIN_PARAMETER_PAGES
    )
    return frozenset(name for _, name in frequent[:_MAX_PARAMETERS])


def _learn_hosts(
    bare_urls: Iterable[str], described: Iterable[DescribedPage]
) -> dict[str, HostModel]:
    folders: defaultdict[str, list[FolderCount]] = defaultdict(list)
    for host, inside in count_folders(bare_urls).items():
        folders[strip_www(host)] += inside
    languages_of_paths: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    for page in described:
        if page.language:
            host, path = _split_host(page.url)
            languages_of_paths[host].append((path, page.language))
    pages = {host: sum(folder.pages for folder in inside) for host, inside in folders.items()}
    by_size = sorted(pages, key=lambda host: (-pages[host], host))
    if not by_size:
        return {}
    languages = _language_hosts(by_size)
    groups: dict[str, list[str]] = {}
    for host in by_size[:_MAX_HOSTS]:
        groups.setdefault(_parent_domain(host) if host in languages else host, []).append(host)
    main = next(iter(groups))
    models: dict[str, HostModel] = {}
    for group, hosts in groups.items():
        declared = _declared_languages(
            [pair for host in hosts for pair in languages_of_paths[host]]
        )
        learner = FolderTreeLearner(declared)
        tree = learner.learn([each for host in hosts for each in folders[host]])
        prefix = "" if group == main else f"//{{lang}}.{group}" if len(hosts) > 1 else f"//{group}"
        for host in hosts:
            models[host] = HostModel(tree, prefix, languages.get(host, ""))
    return models


def _split_host(url: str) -> tuple[str, str]:
    """The host and the path."""
    host, slash, path = url.partition("://")[2].partition("/")
    if not slash:
        host = host.partition("?")[0].partition("#")[0]
    return strip_www(host), "/" + path.partition("#")[0].partition("?")[0]


def _parent_domain(host: str) -> str:
    return host.partition(".")[2]


def _language_hosts(hosts: Iterable[str]) -> dict[str, str]:
    """By host, the language of hosts such as ``de.example.com``, if there are several of them."""
    labels: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for host in hosts:
        label, dot, parent = host.partition(".")
        if dot and parse_code(label):
            labels[parent][label] = host
    return {
        host: parse_code(label)
        for by_label in labels.values()
        if are_language_segments(by_label)
        for label, host in by_label.items()
    }


def _declared_languages(
    pages: Iterable[tuple[str, str]],
) -> Mapping[tuple[str, ...], set[str]]:
    """By parent path, segments that are the declared language of nearly all pages below them.

    *pages* are pairs of path and language.
    """
    agreeing: Counter[tuple[tuple[str, ...], str]] = Counter()
    total: Counter[tuple[tuple[str, ...], str]] = Counter()
    for path, language in pages:
        segments = tuple(path.strip("/").split("/", 2)[:2])
        for depth, segment in enumerate(segments):
            if code := parse_code(segment):
                folder = (segments[:depth], segment)
                total[folder] += 1
                agreeing[folder] += primary_language(code) == primary_language(language)
    found: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
    for (parent, segment), number in total.items():
        if agreeing[parent, segment] >= _AGREEING_SHARE * number:
            found[parent].add(segment)
    return found
