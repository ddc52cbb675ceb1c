"""Reads addresses: columns of canonical URLs in, a spot for each out."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from sitecrawl.classify.addresstypes import FolderContext
from sitecrawl.classify.folderwords import HOST_RULES
from sitecrawl.classify.languages import query_language
from sitecrawl.classify.paths import bare_addresses
from sitecrawl.classify.places import Place
from sitecrawl.classify.queryrules import parameters, query_rule
from sitecrawl.classify.segments import REST
from sitecrawl.classify.shapes import shapes_of
from sitecrawl.classify.spots import HOME, Learned, Spot, View
from sitecrawl.classify.vocabulary import CATEGORY_OF, LanguageSource, PageType
from sitecrawl.urls.columns import rows_with_query
from sitecrawl.urls.patterns import shortened

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# Where folders are ids, nearly every address has its own.
_MAX_FOLDERS: Final = 50_000
_MAX_VIEWS: Final = 50_000
_MAX_QUERIES: Final = 20_000
_LONGEST_REMEMBERED: Final = 300
# What is shorter ends before the host: then what comes next is the host.
_SHORTEST_ORIGIN: Final = len("http://a")
_MAX_SEGMENTS: Final = 40
_HOST_SLASHES: Final = 2
_MAX_NAMES: Final = 6


@dataclass(frozen=True, slots=True)
class HostModel:
    """What was learned of one host, or of several that are one site in several languages."""

    place: Place = field(default_factory=Place)
    name: str = ""
    """What its templates start with: nothing, for the host that most pages are on."""
    language: str = ""


@dataclass(frozen=True, slots=True)
class AddressModel:
    """What was learned of a site's addresses."""

    hosts: Mapping[str, HostModel] = field(default_factory=dict)
    types: Mapping[str, PageType] = field(default_factory=dict)
    """By template, what the pages say of themselves that were fetched."""
    parameters: frozenset[str] = frozenset()
    """Names of parameters that the site uses."""

    def as_data(self) -> dict[str, Any]:
        """For JSON; hosts that share their folders share them here."""
        places = list({id(each.place): each.place for each in self.hosts.values()}.values())
        numbers = {id(place): number for number, place in enumerate(places)}
        return {
            "places": [place.as_data() for place in places],
            "hosts": {
                host: [numbers[id(each.place)], each.name, each.language]
                for host, each in sorted(self.hosts.items())
            },
            "types": dict(sorted(self.types.items())),
            "parameters": sorted(self.parameters),
        }

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> AddressModel:
        places = [Place.from_data(each) for each in data["places"]]
        return cls(
            {
                host: HostModel(places[number], name, language)
                for host, (number, name, language) in data["hosts"].items()
            },
            {template: PageType(name) for template, name in data["types"].items()},
            frozenset(data["parameters"]),
        )


def folded_host(host: str) -> str:
    """
    >>> folded_host("www.a.example"), folded_host("a.example:8080")
    ('a.example', 'a.example:8080')
    """
    return host.removeprefix("www.")


class AddressReader:
    """Finds the spot of each address; remembers folders, because pages share them."""

    def __init__(self, model: AddressModel):
        self._model = model
        self._learned = Learned(model.types)
        self._hosts: dict[tuple[str, str], View] = {}
        self._folders: dict[str, View] = {}
        self._queries: dict[tuple[Spot, str, str], Spot] = {}

    def read(self, urls: Sequence[str]) -> list[Spot]:
        marked = rows_with_query(urls)
        found = self._read_bare(bare_addresses(urls, marked))
        for row in marked:
            found[row] = self._with_query(found[row], urls[row])
        return found

    def _read_bare(self, urls: Sequence[str]) -> list[Spot]:
        """The spots of addresses that have neither query nor fragment."""
        folders = self._folders
        views: list[View] = []
        leaves: list[str] = []
        for url in urls:
            head, _, leaf = url.rpartition("/")
            if not leaf:
                head, _, leaf = head.rpartition("/")
                if len(head) < _SHORTEST_ORIGIN:
                    views.append(self._host(leaf))
                    leaves.append(HOME)
                    continue
            view = folders.get(head)
            if view is None:
                # One of many, such as that of a day: the one above it knows it. To look for them
                # all in one place would cost more, as that is larger than a processor's cache.
                parent, _, segment = head.rpartition("/")
                above = folders.get(parent)
                view = above.by_segment.get(segment) if above is not None else None
            views.append(view or self._remember(head))
            leaves.append(leaf)
        return [
            view.by_shape.get(shape) or view.spot(leaf, shape)
            for view, leaf, shape in zip(views, leaves, shapes_of(leaves), strict=True)
        ]

    def _folder(self, head: str) -> View:
        return self._folders.get(head) or self._remember(head)

    def _remember(self, head: str) -> View:
        view = self._resolve(head)
        # What is too short comes before a host, and is no folder.
        if _SHORTEST_ORIGIN <= len(head) <= _LONGEST_REMEMBERED:
            if len(self._folders) >= _MAX_FOLDERS:
                self._folders.clear()
            self._folders[head] = view
        return view

    def _with_query(self, spot: Spot, url: str) -> Spot:
        address, mark, route = url.partition("#")
        query = address.partition("?")[2]
        if mark and route.startswith(("/", "!")):
            spot = self._varied(spot, f"#/{REST}", "")
        if not query:
            return spot
        name, _, value = query.partition("=")
        if "&" not in query and name == name.lower():
            # One parameter: what its value says, if anything, is the same for most values.
            query = query if len(value) < 24 and not value.isdigit() else f"{name}=0"  # noqa: PLR2004
        return self._varied(spot, "", query)

    def _varied(self, spot: Spot, route: str, query: str) -> Spot:
        key = (spot, route, query)
        varied = self._queries.get(key)
        if varied is None:
            known = self._model.parameters
            varied = _with_route(spot, route) if route else _with_parameters(spot, query, known)
            if len(self._queries) >= _MAX_QUERIES:
                self._queries.clear()
            self._queries[key] = varied
        return varied

    def _resolve(self, head: str) -> View:
        """The view of a folder that is not remembered."""
        if self._learned.views > _MAX_VIEWS:
            self._learned.views = 0
            for remembered in (self._hosts, self._folders, self._queries):
                remembered.clear()
        parent, _, segment = head.rpartition("/")
        if len(parent) < _SHORTEST_ORIGIN:
            return self._host(segment)
        if head.count("/") > _MAX_SEGMENTS:
            outer = self._folder("/".join(head.split("/", _MAX_SEGMENTS)[:_MAX_SEGMENTS]))
            return outer.at_depth(head.count("/") - _HOST_SLASHES)
        return self._folder(parent).child(segment)

    def _host(self, host: str) -> View:
        name = folded_host(host)
        model = self._model.hosts.get(name) or HostModel(name=f"//{REST}")
        key = (model.name, model.language)
        view = self._hosts.get(key)
        if view is None:
            rule = HOST_RULES.get(name.partition(".")[0])
            context = FolderContext(rule, name) if rule else None
            view = View(model.place, self._learned, model.name, context)
            if model.name:
                view.sections = (model.name,)
            if model.language:
                view.language, view.language_source = model.language, LanguageSource.SUBDOMAIN
            self._hosts[key] = view
        return view


def _with_route(spot: Spot, route: str) -> Spot:
    return replace(spot, template=shortened(spot.template + route), is_firm=False)


def _with_parameters(spot: Spot, query: str, known: frozenset[str]) -> Spot:
    pairs = parameters(query)
    names = {name for name, _ in pairs}
    shown = [f"{name}={REST}" for name in sorted(names & known)[:_MAX_NAMES]]
    if len(shown) < len(names):
        shown.append(REST)
    varied = replace(spot, template=shortened(f"{spot.template}?{'&'.join(shown)}"))
    rule = query_rule(pairs, spot.page_type)
    if rule is not None and rule.page_type is not None:
        varied = replace(
            varied,
            page_type=rule.page_type,
            category=rule.category or CATEGORY_OF[rule.page_type],
            reason="a parameter of the address",
            is_firm=True,
        )
    if language := query_language(query):
        varied = replace(varied, language=language, language_source=LanguageSource.QUERY)
    return varied
