"""Classifies URLs: template, type, sections and language, by the URL alone.

URLs with the same template and type share one :class:`UrlClass`: a million URLs need a few hundred.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, NamedTuple

from sitecrawl.classify.language import parse_code, query_language
from sitecrawl.classify.page_types import (
    FolderContext,
    UrlType,
    parse_parameters,
    query_rule,
    type_by_shape,
    type_by_slug,
)
from sitecrawl.classify.pages import CATEGORY_OF, Category, LanguageSource, PageType
from sitecrawl.classify.paths import (
    DATE,
    HOME,
    LANGUAGE,
    MIN_ORIGIN_LENGTH,
    REST,
    SLUG,
    YEAR,
    bare_url,
    compact_stem,
    compact_word,
    placeholder,
    split_extension,
    split_slug,
    stem_placeholder,
)
from sitecrawl.classify.rules.paths import FOLDER_RULES, HOST_RULES, SCRIPT_RULES
from sitecrawl.classify.rules.slugs import (
    HOME_WORDS,
    LONGEST_NUMBERED_SLUG,
    LONGEST_SLUG,
    SLUG_RULES,
)
from sitecrawl.classify.url_model import HostModel, strip_www
from sitecrawl.urls.patterns import shortened

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sitecrawl.classify.path_templates import FolderNode
    from sitecrawl.classify.url_model import UrlModel

_MAX_SECTIONS: Final = 4
_MAX_SEGMENTS: Final = 40
_MAX_PARAMETERS: Final = 6
_TITLE_HYPHENS: Final = 3
# A folder deeper than this, without languages, is a name that somebody gave: javax/swing/event.
_MAX_RULE_DEPTH: Final = 3
# Names of the page of a folder itself.
_INDEX_WORDS: Final = frozenset({"index", "default"})
_SEPARATORS: Final = 10  # hyphens in the longest names
_LONGEST_NAME: Final = LONGEST_SLUG + _SEPARATORS
_LONGEST_NUMBERED_NAME: Final = LONGEST_NUMBERED_SLUG + _SEPARATORS
_PRODUCT_NUMBER = re.compile(r"-p-?[0-9]{3,}(?:\.html?)?\Z")
_LONGEST_VALUE: Final = 24
_AUTHORITY_SLASHES: Final = 2
# Limits of what is remembered: on some sites nearly every URL has a folder of its own.
_MAX_SLUGS: Final = 1_000
_MAX_FOLDERS: Final = 50_000
_MAX_FOLDER_LENGTH: Final = 300
_MAX_QUERIES: Final = 20_000


@dataclass(frozen=True, slots=True, eq=False)
class UrlClass:
    """The class of a URL; compared by identity, because the classifier makes each once."""

    template: str
    page_type: PageType
    category: Category
    reason: str
    is_certain: bool
    """Whether a title or a link region cannot change the type."""
    sections: tuple[str, ...] = ()
    """Its named folders, the outermost first."""
    language: str = ""
    language_source: LanguageSource | None = None
    depth: int = 0
    """Path segments."""
    hint: PageType | None = None
    """The type by a word of its name, in a folder where words say little."""


class _SlugShape(NamedTuple):
    is_title: bool = False
    """At least four words."""
    is_numbered: bool = False
    """A product number at the end."""


_NO_SHAPE: Final = _SlugShape()


def _shape(slug: str) -> _SlugShape:
    return _SlugShape(
        slug.count("-") >= _TITLE_HYPHENS,
        "-p" in slug and _PRODUCT_NUMBER.search(slug) is not None,
    )


@dataclass(slots=True, eq=False)
class FolderTemplate:
    """All folders of a site with the same template, and the classes of the pages in them."""

    node: FolderNode | None
    """None: deeper than what was learned."""
    types: Mapping[str, PageType]
    """By template, the learned types."""
    uniform: frozenset[str] = frozenset()
    """Templates in which words do not count."""
    name: str = ""
    """The template of the folder, without a slash at its end."""
    context: FolderContext = field(default_factory=FolderContext)
    language: str = ""
    language_source: LanguageSource | None = None
    sections: tuple[str, ...] = ()
    depth: int = 0
    is_root: bool = True
    """The root of a host, or of one of its languages."""
    rule_depth: int = 0
    """Segments, without languages."""
    segment: str = ""
    """Name or placeholder of its own segment."""
    is_named: bool = True
    """No folder on its path varies, except languages."""
    _named: Mapping[str, FolderNode] = field(init=False)
    _has_languages: bool = field(init=False)
    _has_shapes: bool = field(init=False)
    _is_crowded: bool = field(init=False)
    _children: dict[tuple[str, str], FolderTemplate] = field(default_factory=dict, init=False)
    _by_slug: dict[str, UrlClass] = field(default_factory=dict, init=False)
    _by_shape: dict[tuple[str, _SlugShape], UrlClass] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self._named = self.node.named if self.node is not None else {}
        self._is_crowded = self.node is not None and self.node.is_crowded
        has_headlines = self.node is None or self.node.has_headlines
        self._has_shapes = self.context.is_unknown and has_headlines
        self._has_languages = self.node is not None and LANGUAGE in self.node.varying

    # --- folders -----------------------------------------------------------------------------

    def child(self, segment: str) -> FolderTemplate:
        """The template of the folder of this name in this one."""
        name, node = self._generalize(segment)
        word = compact_word(segment)
        # The rule of a folder applies also where its name varies.
        own = parse_code(segment) if name == LANGUAGE else word if word in FOLDER_RULES else ""
        child = self._children.get((name, own))
        if child is None:
            child = self._children[name, own] = self._make_child(segment, name, node, word)
        return child

    def _generalize(self, segment: str) -> tuple[str, FolderNode | None]:
        node = self.node
        if node is None:
            return REST, None
        if segment in node.named:
            return segment, node.named[segment]
        if LANGUAGE in node.varying and parse_code(segment):
            return LANGUAGE, node.varying[LANGUAGE]
        for name in (placeholder(segment, self.segment), SLUG):
            if name in node.varying:
                return name, node.varying[name]
        return REST, None

    def _make_child(
        self, segment: str, name: str, node: FolderNode | None, word: str
    ) -> FolderTemplate:
        is_language = name == LANGUAGE
        is_repeated_rest = name == REST and self.name.endswith(REST)
        return FolderTemplate(
            node,
            self.types,
            self.uniform,
            name=self.name if is_repeated_rest else f"{self.name}/{name}",
            context=self._child_context(segment, name, word),
            language=parse_code(segment) if is_language else self.language,
            language_source=LanguageSource.PATH if is_language else self.language_source,
            sections=self._sections_with(segment) if name == segment else self.sections,
            depth=self.depth + 1,
            is_root=self.is_root and is_language,
            rule_depth=self.rule_depth + (not is_language),
            segment=name,
            is_named=self.is_named and name in {segment, LANGUAGE},
        )

    def _child_context(self, segment: str, name: str, word: str) -> FolderContext:
        context = self.context
        is_word = name != LANGUAGE and self.rule_depth < _MAX_RULE_DEPTH
        rule = FOLDER_RULES.get(word) if is_word else None
        is_closed = context.rule is not None and context.rule.is_closed
        if rule is not None and not is_closed:
            context = context._replace(rule=rule, word=segment)
        return context._replace(is_dated=context.is_dated or name in {YEAR, DATE})

    def _sections_with(self, segment: str) -> tuple[str, ...]:
        if not self.is_named or len(self.sections) >= _MAX_SECTIONS:
            return self.sections
        return (*self.sections, shortened(f"{self.name}/{segment}"))

    # --- pages -------------------------------------------------------------------------------

    def classify(self, slug: str) -> UrlClass:
        """The class of the page with this slug in this folder."""
        known = self._by_slug.get(slug)
        if known is not None:
            return known
        stem, extension = split_extension(slug) if "." in slug else (slug, "")
        # Most slugs of a large site are headlines with a number at the end: no rule has such words.
        longest = _LONGEST_NUMBERED_NAME if stem[-1:].isdigit() else _LONGEST_NAME
        word = compact_stem(stem) if len(stem) <= longest else ""
        if (
            word in SLUG_RULES
            or slug in self._named
            or ":" in slug
            or slug == HOME
            or (extension and slug in SCRIPT_RULES)
            or (self._has_languages and parse_code(slug))
        ):
            named = self._classify_name(slug, word)
            if named is not None:
                if len(self._by_slug) < _MAX_SLUGS:
                    self._by_slug[slug] = named
                return named
        name = stem_placeholder(stem, self.segment) + extension
        # The rule of a folder or a date decides; else the shape of the slug makes a difference.
        shape = _shape(slug) if self._has_shapes else _NO_SHAPE
        found = self._by_shape.get((name, shape))
        if found is None:
            found = self._by_shape[name, shape] = self._make(name, self._type_by_shape(name, shape))
        return found

    def _classify_name(self, slug: str, word: str) -> UrlClass | None:
        """The class of a page whose slug is known by the rules or as a folder."""
        if slug == HOME:
            return self._home()
        if self._has_languages and (code := parse_code(slug)):
            home = UrlType(PageType.HOME, f"the start of the site in {code}")
            return replace(
                self._make(LANGUAGE, home), language=code, language_source=LanguageSource.PATH
            )
        is_folder = slug in self._named
        name = placeholder(slug, self.segment)
        if word in HOME_WORDS and not is_folder:
            return self._classify_index(name, word)
        if self.rule_depth >= _MAX_RULE_DEPTH:
            word = ""
        found = type_by_slug(slug, word, self.context, is_folder=is_folder)
        if is_folder:
            found = found or self._type_by_shape(name, _shape(slug))
            return replace(self._make(slug, found), sections=self._sections_with(slug))
        if found is not None and (self._is_crowded or self._template(name) in self.uniform):
            # Its siblings have one type; that of a single word needs another reason.
            usual = self._make(name, self._type_by_shape(name, _NO_SHAPE))
            return replace(usual, hint=found.page_type)
        return self._make(name, found) if found else None

    def _classify_index(self, name: str, word: str) -> UrlClass | None:
        """The class of ``index.html`` or ``home``: the start of the site only in its root."""
        if self.is_root:
            return self._make(name, self._home_type())
        if word not in _INDEX_WORDS:
            return None
        rule = self.context.rule
        if self._template(name) in self.types or rule is None or rule.own is PageType.FILE:
            return None
        return self._make(name, UrlType(rule.own, f"the start of the folder {self.context.word}"))

    def _type_by_shape(self, name: str, shape: _SlugShape) -> UrlType:
        return type_by_shape(
            name,
            self.context,
            self.types.get(self._template(name)),
            is_title=shape.is_title,
            is_numbered=shape.is_numbered,
        )

    def _template(self, name: str) -> str:
        return shortened(f"{self.name}/{name}")

    def _home(self) -> UrlClass:
        return replace(self._make("", self._home_type()), template=f"{self.name}/", depth=0)

    def _home_type(self) -> UrlType:
        rule = self.context.rule
        return UrlType(rule.own if rule else PageType.HOME, "the start of the site")

    def _make(self, name: str, found: UrlType) -> UrlClass:
        return UrlClass(
            template=self._template(name),
            page_type=found.page_type,
            category=found.category or CATEGORY_OF[found.page_type],
            reason=found.reason,
            is_certain=found.is_certain or self._is_crowded,
            sections=self.sections,
            language=self.language,
            language_source=self.language_source,
            depth=self.depth + 1,
        )


class UrlClassifier:
    """Classifies the URLs of one site; remembers folders, because pages share them."""

    def __init__(self, model: UrlModel):
        self._model = model
        self._hosts: dict[tuple[str, str], FolderTemplate] = {}
        self._folders: dict[str, FolderTemplate] = {}
        self._queries: dict[tuple[UrlClass, str], UrlClass] = {}
        self._resolved = 0

    def classify(self, urls: Sequence[str]) -> list[UrlClass]:
        found = []
        folders = self._folders
        for url in urls:
            has_query = "?" in url or "#" in url
            # split_slug(), without the call for most URLs
            folder, _, slug = url.rpartition("/")
            if has_query or not slug:
                folder, slug = split_slug(bare_url(url))
            template = folders.get(folder) or self._folder(folder)
            url_class = template.classify(slug)
            found.append(self._with_query(url_class, url) if has_query else url_class)
        return found

    # --- folders -----------------------------------------------------------------------------

    def _folder(self, folder: str) -> FolderTemplate:
        known = self._folders.get(folder)
        if known is not None:
            return known
        # Each resolved folder makes at most one template, so this bounds them as well.
        self._resolved += 1
        if self._resolved > _MAX_FOLDERS:
            self._resolved = 0
            self._hosts.clear()
            self._folders.clear()
            self._queries.clear()
        template = self._resolve(folder)
        # A shorter text ends before the host, and is no folder.
        if MIN_ORIGIN_LENGTH <= len(folder) <= _MAX_FOLDER_LENGTH:
            self._folders[folder] = template
        return template

    def _resolve(self, folder: str) -> FolderTemplate:
        parent, _, segment = folder.rpartition("/")
        if len(parent) < MIN_ORIGIN_LENGTH:
            return self._host(segment)
        if folder.count("/") > _MAX_SEGMENTS:
            outer = self._folder("/".join(folder.split("/", _MAX_SEGMENTS)[:_MAX_SEGMENTS]))
            return replace(outer, depth=folder.count("/") - _AUTHORITY_SLASHES)
        return self._folder(parent).child(segment)

    def _host(self, host: str) -> FolderTemplate:
        name = strip_www(host)
        model = self._model.hosts.get(name) or HostModel(prefix=f"//{REST}")
        key = (model.prefix, model.language)
        template = self._hosts.get(key)
        if template is None:
            rule = HOST_RULES.get(name.partition(".")[0])
            template = self._hosts[key] = FolderTemplate(
                model.tree,
                self._model.types,
                self._model.uniform,
                name=model.prefix,
                context=FolderContext(rule, name) if rule else FolderContext(),
                language=model.language,
                language_source=LanguageSource.SUBDOMAIN if model.language else None,
                sections=(model.prefix,) if model.prefix else (),
            )
        return template

    # --- queries and client-side routes --------------------------------------------------------

    def _with_query(self, found: UrlClass, url: str) -> UrlClass:
        address, _, route = url.partition("#")
        query = address.partition("?")[2]
        if route.startswith(("/", "!")):
            found = self._remembered(found, f"#/{REST}")
        if not query:
            return found
        name, _, value = query.partition("=")
        if "&" not in query and name == name.lower():
            # Long values and numbers of a single parameter make no difference.
            is_word = len(value) < _LONGEST_VALUE and not value.isdigit()
            query = query if is_word else f"{name}=0"
        return self._remembered(found, query)

    def _remembered(self, found: UrlClass, suffix: str) -> UrlClass:
        """The class with a query or a route, which starts with ``#``."""
        key = (found, suffix)
        varied = self._queries.get(key)
        if varied is None:
            if suffix.startswith("#"):
                template = shortened(found.template + suffix)
                varied = replace(found, template=template, is_certain=False)
            else:
                varied = _with_parameters(found, suffix, self._model.parameters)
            if len(self._queries) >= _MAX_QUERIES:
                self._queries.clear()
            self._queries[key] = varied
        return varied


def _with_parameters(found: UrlClass, query: str, known: frozenset[str]) -> UrlClass:
    parameters = parse_parameters(query)
    names = {name for name, _ in parameters}
    shown = [f"{name}={REST}" for name in sorted(names & known)[:_MAX_PARAMETERS]]
    if len(shown) < len(names):
        shown.append(REST)
    varied = replace(found, template=shortened(f"{found.template}?{'&'.join(shown)}"))
    rule = query_rule(parameters, found.page_type)
    if rule is not None:
        varied = replace(
            varied,
            page_type=rule.page_type,
            category=rule.category,
            reason="a parameter of the address",
            is_certain=True,
        )
    if language := query_language(query):
        varied = replace(varied, language=language, language_source=LanguageSource.QUERY)
    return varied
