from __future__ import annotations

import random
import tracemalloc
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitecrawl.urls.crawl_patterns import Shape, crawl_pattern
from sitecrawl.urls.pattern_budgets import (
    SHAPE_POLICIES,
    UNLIMITED,
    BudgetLimits,
    PatternBudget,
    PatternBudgets,
)
from sitecrawl.urls.traps import FilterCombinations, TrapKind, TrapLimits, TrapRules
from tests.urls.models import Answer, Model, crawl, prose
from tests.urls.models.sections import SECTIONS, Section
from tests.urls.models.traps import TRAPS, Trap
from tests.urls.models.words import names

RULES = TrapRules(TrapLimits(), date(2026, 5, 17))
NO_LIMITS = BudgetLimits(
    pattern_pages=0, suspect_pages=0, parameter_copies=0, max_patterns=0, max_texts=0
)
ENOUGH = 650
KINDS = {
    "relative link": TrapKind.LOOP,
    "deeper": TrapKind.LOOP,
    "tokens": TrapKind.LOOP,
    "visitors": TrapKind.SESSION,
    "calendar": TrapKind.CALENDAR,
    "orders and views": TrapKind.FACETS,
    "page": TrapKind.PAGINATION,
    "filters": TrapKind.FACETS,
}

by_name = pytest.mark.parametrize("trap", TRAPS, ids=lambda trap: trap.name)


# traps


@by_name
def test_a_trap_is_left_in_time_and_nothing_real_is_lost(trap: Trap) -> None:
    done = crawl(trap.model, trap.start, max_pages=ENOUGH)
    assert trap.real - set(done.visited) == set()
    assert len(done.visited) <= trap.most_visits


@by_name
def test_rules_on_single_urls_make_it_no_worse(trap: Trap) -> None:
    done = crawl(trap.model, trap.start, rules=RULES, max_pages=ENOUGH)
    assert trap.real - set(done.visited) == set()
    assert len(done.visited) <= trap.most_visits


@by_name
def test_without_limits_a_trap_has_no_end(trap: Trap) -> None:
    done = crawl(trap.model, trap.start, limits=NO_LIMITS, max_pages=ENOUGH)
    assert len(done.visited) > 2 * trap.most_visits
    assert done.budgets.cuts() == []


@by_name
def test_a_trap_is_named(trap: Trap) -> None:
    done = crawl(trap.model, trap.start, max_pages=ENOUGH)
    cuts = done.budgets.cuts()
    kind = next(kind for word, kind in KINDS.items() if word in trap.name)
    assert kind in {cut.kind for cut in cuts}
    assert all(cut.kind.is_refusal for cut in cuts)
    held = {url for url, found in done.found.items() if found.is_held}
    assert {cut.example for cut in cuts if cut.left_out} <= held
    assert sum(cut.left_out for cut in cuts) == len(held)
    assert [cut.left_out for cut in cuts] == sorted((cut.left_out for cut in cuts), reverse=True)


# sections


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.name)
def test_every_page_of_a_large_section_is_visited(section: Section) -> None:
    done = crawl(section.model, section.start)
    assert section.real - set(done.visited) == set()
    for cut in done.budgets.cuts():
        assert cut.kind in {TrapKind.PATTERN, TrapKind.PARAMETER}
        assert cut.kind is TrapKind.PATTERN or section.name == "wiki"


def _views(target: str) -> Answer:
    """Each article has a view that links to nothing new and says little."""
    path, _, view = target.partition("?")
    articles = [f"/wiki/{name}" for name in names(0, 200)]
    links = [*articles, f"{path}?action=edit"]
    return Answer(links, prose("log in", 40) + path[-4:] if view else prose(path))


def test_views_with_a_text_of_their_own_are_left_and_stay_listed() -> None:
    (cut,) = crawl(_views).budgets.cuts()
    assert (cut.pattern, cut.kind) == ("/wiki/*?action={v}", TrapKind.PATTERN)
    assert cut.visited < 60
    assert cut.visited + cut.left_out == 200


def _shell(target: str) -> Answer:
    """The program that shows the pages has the same text everywhere."""
    level = target.count("/") if target != "/" else 0
    folder = target.rstrip("/")
    below = [f"{folder}/{prose((target, number), 1)}" for number in range(4)] if level < 4 else []
    return Answer(below, "Please wait while the page is loading")


def test_a_site_whose_pages_have_one_text_is_no_copy_of_itself() -> None:
    done = crawl(_shell)
    assert len(done.visited) > 300
    assert done.budgets.cuts() == []


@pytest.mark.parametrize(
    "address",
    ["/document/{0:08x}f9c2e1a3", "/lamp/lamp/{0}", "/day/{0:04}-05", "/shop?a={0}&b=1", "/i/{0}"],
)
@pytest.mark.parametrize("max_pages", [1, 20, 40])
def test_a_crawl_that_stops_early_calls_nothing_a_trap_that_brought_something(
    address: str, max_pages: int
) -> None:
    links = [address.format(number) for number in range(1_900, 2_190)]
    done = crawl(lambda target: Answer(links, prose(target)), max_pages=max_pages)
    (cut,) = done.budgets.cuts()
    assert cut.kind is TrapKind.PATTERN
    assert cut.visited == max_pages - 1


# parameters that do not change the page


def _headings(target: str) -> Answer:
    """Thirty pages with a link to each of their headings, as an application makes them."""
    path = target.partition("?")[0]
    pages = [f"/docs/{name}" for name in names(0, 30)]
    return Answer([*pages, *(f"{path}?id={name}" for name in names(50, 10))], prose(path))


def test_a_parameter_that_does_not_change_the_page_is_given_up_after_a_handful() -> None:
    done = crawl(_headings)
    assert {f"/docs/{name}" for name in names(0, 30)} <= set(done.visited)
    assert len(done.visited) <= 31 + 2 * (5 + 5)
    cuts = {cut.pattern: cut for cut in done.budgets.cuts()}
    cut = cuts["/docs/*?id={v}"]
    assert (cut.kind, cut.kind.reason) == (TrapKind.PARAMETER, "trap_parameter")
    assert cut.visited + cut.left_out == 30 * 10
    assert len(cut.proof) == cut.visited >= 5
    assert all(url.partition("?")[0] == same_as for url, same_as in cut.proof)


@pytest.mark.parametrize("most", [0, 3, 12])
def test_how_many_copies_are_enough_can_be_set(most: int) -> None:
    limits = BudgetLimits(parameter_copies=most)
    cuts = {cut.pattern: cut for cut in crawl(_headings, limits=limits).budgets.cuts()}
    cut = cuts["/docs/*?id={v}"]
    assert (most or 40) <= cut.visited <= (2 * most or 50)
    assert cut.kind is (TrapKind.PARAMETER if most else TrapKind.PATTERN)


def _only_with_parameter(target: str) -> Answer:
    """No page is linked without the parameter, which is another one on each page."""
    path = target.partition("?")[0]
    pages = [f"/docs/{name}?from={path[-4:]}" for name in names(0, 100)]
    return Answer(pages, prose(path))


def test_every_page_is_visited_with_one_value_of_its_parameter() -> None:
    done = crawl(_only_with_parameter)
    paths = [target.partition("?")[0] for target in done.visited]
    assert set(paths) == {"/", *(f"/docs/{name}" for name in names(0, 100))}
    assert len(paths) < 120
    (cut,) = done.budgets.cuts()
    assert cut.kind is TrapKind.PARAMETER
    originals = {same_as for _, same_as in cut.proof}
    assert originals.isdisjoint(url for url, _ in cut.proof)


def test_one_page_that_the_parameter_changes_is_enough_to_visit_all() -> None:
    def answer(target: str) -> Answer:
        path, _, value = target.partition("?v=")
        links = [f"{path}?v={number}" for number in range(60)]
        return Answer(links, prose(path) if not value or int(value) < 7 else prose(target))

    done = crawl(answer)
    assert len(done.visited) == 61
    assert done.budgets.cuts() == []


def test_the_routes_of_an_application_share_what_is_learned() -> None:
    budgets = PatternBudgets(BudgetLimits(), lambda url: "?" not in url)
    routes = [f"https://example.com/#/{folder}/x" for folder in names(0, 9)]
    for route in routes:
        assert budgets.admit(route) is None
        budgets.visited(route, new_elsewhere=0, fingerprint=hash(route), text_hash=route)
    for route in routes[:5]:
        assert budgets.admit(f"{route}?id=a") is None
        budgets.visited(f"{route}?id=a", new_elsewhere=0, fingerprint=1, text_hash=route)
    assert [budgets.admit(f"{route}?id=a") for route in routes[5:]] == ["/#/*?id={v}"] * 4


# pages that do not exist


def _broken(number: int) -> Model:
    """A list links to pages of which none exists."""

    def answer(target: str) -> Answer:
        if target == "/":
            return Answer([f"/docs/{each}.html" for each in range(number)], prose(target))
        return Answer([], "", is_broken=True)

    return answer


def test_broken_links_are_all_checked() -> None:
    done = crawl(_broken(300))
    assert len(done.visited) == 301
    assert done.budgets.cuts() == []


def test_a_pattern_with_hundreds_of_broken_links_is_given_up_and_its_rest_stays_listed() -> None:
    (cut,) = crawl(_broken(1_000)).budgets.cuts()
    assert (cut.pattern, cut.kind) == ("/docs/{n}.html", TrapKind.PATTERN)
    assert (cut.visited, cut.broken, cut.left_out) == (400, 400, 600)


def test_pages_below_broken_ones_are_no_copies() -> None:
    folders = names(0, 40)
    others = [f"/about/{name}" for name in names(50, 15)]
    real = {"/", "/more", *others, *(f"/{name}/page" for name in folders)}

    def answer(target: str) -> Answer:
        if target == "/":
            links = [*others, *(f"/{name}/index.html" for name in folders), "/more"]
            return Answer(links, prose(target))
        links = [f"/{name}/page" for name in folders] if target == "/more" else []
        return Answer(links, prose(target) if target in real else "", target not in real)

    done = crawl(answer)
    assert real <= set(done.visited)
    assert done.budgets.cuts() == []


def test_a_folder_of_loops_is_no_trap_before_one_of_them_was_visited() -> None:
    budgets = PatternBudgets(BudgetLimits(suspect_pages=2))
    loops = [f"https://example.com/{folder}/x/y/x/z{n}" for folder in "ab" for n in range(3)]
    for url in loops[:3]:
        budgets.admit(url)
    for url in loops[:2]:
        budgets.visited(url, new_elsewhere=0, fingerprint=None)
    for url in loops[3:]:
        assert budgets.admit(url) == "/b/{loop}"
    cuts = {cut.pattern: (cut.kind, cut.visited, cut.left_out) for cut in budgets.cuts()}
    assert cuts == {
        "/b/{loop}": (TrapKind.PATTERN, 0, 3),
        "/a/{loop}": (TrapKind.LOOP, 2, 1),
    }


@by_name
def test_what_is_refused_below_a_pattern_was_tried(trap: Trap) -> None:
    for cut in crawl(trap.model, trap.start, max_pages=ENOUGH).budgets.cuts():
        assert cut.visited > 0


# one step after another


def test_what_a_pattern_brings_lets_go_what_was_held() -> None:
    budgets = PatternBudgets(BudgetLimits(pattern_pages=2, growth=3))
    items = [f"https://example.com/item/{number}" for number in range(9)]
    held = [budgets.admit(item) for item in items]
    assert held == [None, None, *["/item/{n}"] * 7]
    # One waits less, and three more may wait.
    assert budgets.visited(items[0], new_elsewhere=1, fingerprint=None) == (True, "/item/{n}", 4)
    assert budgets.visited(items[1], new_elsewhere=0, fingerprint=None) == (False, "/item/{n}", 0)
    assert budgets.admit("https://example.com/item/10") == "/item/{n}"
    (cut,) = budgets.cuts()
    assert cut.as_dict() == {
        "pattern": "/item/{n}",
        "kind": "pattern",
        "visited": 2,
        "broken": 0,
        "left_out": 4,
        "example": "https://example.com/item/10",
        "proof": [],
    }


@pytest.mark.parametrize(
    ("target", "second", "is_productive"),
    [
        ("/item/2", 0b0111, False),
        ("/item/2", 0b1111, True),
        ("/thing/2", 0b0000, True),
        ("/about", 0b0000, True),
        ("/index.php?id=2", 0b0000, False),
        ("/go/9f86d081884c7d65", 0b0000, False),
        ("/list?page=2", 0b0000, False),
    ],
)
def test_which_texts_are_new(target: str, second: int, is_productive: bool) -> None:
    budgets = PatternBudgets(BudgetLimits())
    first = "https://example.com/item/1"
    assert budgets.visited(first, new_elsewhere=0, fingerprint=0).is_productive
    found = budgets.visited(f"https://example.com{target}", new_elsewhere=0, fingerprint=second)
    assert found.is_productive is is_productive


@pytest.mark.parametrize(("bits", "is_productive"), [(8, False), (9, True)])
def test_texts_of_dates_are_compared_less_closely(bits: int, is_productive: bool) -> None:
    budgets = PatternBudgets(BudgetLimits())
    may, june = (f"https://example.com/cal/2024/0{month}" for month in (5, 6))
    assert budgets.visited(may, new_elsewhere=0, fingerprint=0).is_productive
    found = budgets.visited(june, new_elsewhere=0, fingerprint=2**bits - 1)
    assert found.is_productive is is_productive


def test_a_page_without_a_text_brings_only_what_it_links_to() -> None:
    budgets = PatternBudgets(BudgetLimits())
    for target, new, is_productive in (("/a", 0, False), ("/b", 2, True), ("/item/1", 0, False)):
        found = budgets.visited(f"https://example.com{target}", new_elsewhere=new, fingerprint=None)
        assert found.is_productive is is_productive


@pytest.mark.parametrize(
    ("target", "other", "is_one"),
    [
        ("/cal/2024/05", "/day/2024-05-17", True),
        ("/shop?color=red", "/boots?color=red&size=4", True),
        ("/list?page=2", "/item/7", False),
        ("/item/7", "/item/7/reviews", True),
        ("/cal/2024/05", "/2024/05/my-title", False),
        ("/viewforum.php?f=1", "/viewtopic.php?t=1", False),
    ],
)
def test_families(target: str, other: str, is_one: bool) -> None:
    budgets = PatternBudgets(BudgetLimits())
    families = {budgets.family_of(f"https://example.com{each}") for each in (target, other)}
    assert (len(families) == 1) is is_one


# memory


def test_a_pattern_for_each_url_costs_no_more_than_the_limit() -> None:
    budgets = PatternBudgets(BudgetLimits(max_patterns=1_000))
    tracemalloc.start()
    try:
        for name in names(0, 4_000):
            for target in (f"/{name}/a", f"/{name}/{name[::-1]}?{name}=1&y=2", f"/{name}/1/x-y"):
                budgets.admit(f"https://example.com{target}")
        used_bytes, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert used_bytes < 5_000_000
    (cut,) = budgets.cuts()
    assert (cut.pattern, cut.left_out) == ("{other}", 3 * 4_000 - 1_000 - 40)


def test_what_shares_a_budget_is_visited_as_long_as_it_is_new() -> None:
    section = next(section for section in SECTIONS if section.name == "news")
    done = crawl(section.model, section.start, limits=BudgetLimits(max_patterns=3))
    assert section.real - set(done.visited) == set()


# going on after a restart


def _soup(seed: int) -> Model:
    """Links of every shape to everywhere, texts of every likeness."""
    shapes = (
        *(
            "/p{0}",
            "/p{0}/q{1}",
            "/a/{0}",
            "/a/{0}/b",
            "/2024/{1}/{0}",
            "/s?x={0}",
            "/s?x={0}&y={1}",
        ),
        *("/s?x={0}&z={1}", "/s?z={1}&y={0}", "/s?page={0}", "/x/y/x/{0}", "/p{0}/q{1}/r{0}"),
        *("/q{1}/p{0}", "/go/{0}f9c2e1a3{1}", "/cal?month={1}&year=2024", "x/", "y/z/", "../w/"),
    )

    def answer(target: str) -> Answer:
        chance = random.Random(f"{seed} {target}")
        links = [
            chance.choice(shapes).format(chance.randrange(10, 40), chance.randrange(1, 13))
            for _ in range(chance.randrange(12))
        ]
        return Answer(links, prose(chance.randrange(30), 12) if chance.random() < 0.95 else "")

    return answer


_SITES = st.sampled_from([(trap.model, trap.start) for trap in TRAPS]) | st.integers(0, 50).map(
    lambda seed: (_soup(seed), "/")
)
_TIGHT = BudgetLimits(pattern_pages=5, suspect_pages=3, growth=2, max_patterns=12)


@settings(max_examples=40)
@given(_SITES, st.integers(0, 150), st.integers(0, 100), st.sampled_from([BudgetLimits(), _TIGHT]))
def test_a_crawl_that_was_interrupted_goes_on_as_if_it_had_not_been(
    site: tuple[Model, str], first_stop: int, second_stop: int, limits: BudgetLimits
) -> None:
    model, start = site
    whole = crawl(model, start, limits=limits, max_pages=300)
    stopped = crawl(model, start, limits=limits, max_pages=first_stop)
    stopped = stopped.resumed().run(first_stop + second_stop)
    resumed = stopped.resumed().run(300)
    assert resumed.visited == whole.visited
    assert resumed.budgets.cuts() == whole.budgets.cuts()
    assert resumed.found == whole.found


ADDRESSES = {
    Shape.PAGES: "/about",
    Shape.NUMBERED: "/item/1",
    Shape.DATED: "/cal/2024/05",
    Shape.LISTING: "/list?page=2",
    Shape.PARAMETER: "/index.php?id=2",
    Shape.COMBINATION: "/shop?a=1&b=2",
    Shape.TOKEN: "/go/9f86d081884c7d65",
    Shape.LOOP: "/a/b/a",
}


def spending(shape: Shape, pages: int = 10) -> PatternBudget:
    pattern = crawl_pattern(f"https://example.com{ADDRESSES[shape]}")
    assert pattern.shape is shape
    return PatternBudget(pattern, number=0, pages=pages, growth=4)


def spend(budget: PatternBudget, *, productive: int = 0, others: int = 0, waiting: int = 0) -> int:
    """Visit these one after another, let those wait, and say how many more are trusted."""
    for is_productive in [True] * productive + [False] * others:
        budget.admitted += 1
        budget.record(is_productive=is_productive)
    budget.admitted += waiting
    return budget.trust()


def test_every_shape_has_its_terms() -> None:
    assert SHAPE_POLICIES.keys() == set(Shape) == ADDRESSES.keys()


@pytest.mark.parametrize("shape", Shape)
def test_a_pattern_that_brings_nothing_is_given_up(shape: Shape) -> None:
    budget = spending(shape)
    assert spend(budget, others=9) > 0
    assert spend(budget, others=1) == 0
    assert budget.brings_little


@pytest.mark.parametrize("shape", Shape)
def test_a_pattern_that_brought_much_is_given_up_as_soon(shape: Shape) -> None:
    budget = spending(shape)
    assert spend(budget, productive=1_000) > 0
    assert not budget.brings_little
    assert spend(budget, others=10) == 0
    assert budget.brings_little


@pytest.mark.parametrize("shape", Shape)
def test_no_limit_is_no_limit(shape: Shape) -> None:
    assert spend(spending(shape, pages=0), others=1_000, waiting=1_000) == UNLIMITED


@pytest.mark.parametrize(
    ("shape", "is_enough"), [(Shape.NUMBERED, True), (Shape.TOKEN, True), (Shape.DATED, False)]
)
def test_one_productive_visit_makes_up_for_several_others(shape: Shape, is_enough: bool) -> None:
    budget = spending(shape)
    for _ in range(20):
        spend(budget, productive=1, others=4)
    assert (budget.trust() > 0) is is_enough


@pytest.mark.parametrize(
    ("shape", "trust"),
    [(Shape.PAGES, UNLIMITED), (Shape.NUMBERED, 10 + 4 * 5), (Shape.DATED, 10), (Shape.TOKEN, 10)],
)
def test_how_many_may_wait(shape: Shape, trust: int) -> None:
    budget = spending(shape)
    assert spend(budget, productive=5) == trust
    if trust < UNLIMITED:
        assert spend(budget, waiting=7) == trust - 7
        assert spend(budget, others=2) == trust - 9


def test_filters_do_not_grow_with_what_they_bring() -> None:
    budget = spending(Shape.COMBINATION)
    budget.choices = FilterCombinations()
    assert spend(budget, productive=5) == 30
    budget.choices.are_combined = True
    assert budget.trust() == 10


def test_a_visit_that_nobody_admitted_does_no_harm() -> None:
    budget = spending(Shape.NUMBERED)
    budget.record(is_productive=False)
    assert budget.trust() == 9
