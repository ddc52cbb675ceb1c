"""Finds the first of many patterns that matches a path, for one path and for columns of them.

Nothing here backtracks. What a path costs:

- patterns without wildcards: one look-up per different length, however many patterns there are;
- patterns with wildcards: only those are tried whose *probe*, a short text that every match
  contains, is in the path; each piece of a pattern is searched once, from left to right;
- these trials are limited, far beyond what a sane robots.txt needs; beyond the limit the answer
  is `TOO_COMPLEX`.

A column of paths is one text with a path per line: most paths match nothing, and a search through
the text finds that out without testing each of them. Tests compare this with one path at a time.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sitecrawl.robots.patterns import Pattern

TOO_COMPLEX = -1
MAX_STEPS = 20_000
_STEPS_TO_TRY = 4

_HEAD_CHARACTERS = 4
_MAX_PROBE_CHARACTERS = 16
# A regex tries so many alternatives in the time of one look-up in Python.
_FEW_TEXTS = 100
_FEW_PATTERNS = 8
_FEW_PROBES = 512
# Text of a URL that is also text of its path: nothing to respell, no fragment.
_SPELLED = re.compile(r"[!-\"$&-~]*")


class PatternMatcher:
    """Patterns in the order of their precedence; an answer is a number in that order."""

    def __init__(self, patterns: Sequence[Pattern]):
        everything = (number for number, each in enumerate(patterns) if each.is_everything)
        # The answer for paths that nothing else matches; the number of patterns means: no rule.
        self.default = next(everything, len(patterns))
        plain: dict[Pattern, int] = {}
        wild: dict[Pattern, int] = {}
        for number, pattern in enumerate(patterns[: self.default]):
            table = wild if len(pattern.pieces) > 1 else plain
            table.setdefault(pattern._replace(octets=0), number)
        self._plain = _PlainPatterns(plain, self.default)
        self._wild = _WildPatterns(wild)

    def first(self, path: str) -> int:
        """Return the number of the first pattern that matches, `default`, or `TOO_COMPLEX`."""
        return self._wild.first(self._wild.candidates(path), path, self._plain.first(path))

    def may_match(self, heads: Iterable[str]) -> bool:
        """Whether a path that starts with one of *heads* may match; cheap, and misses none."""
        return self._wild.is_any or any(
            head.startswith(self._plain.heads) or not _SPELLED.fullmatch(head) for head in heads
        )

    def firsts(self, lines: str) -> dict[int, int]:
        """Return `first` of all those paths, by row, for which it is not `default`."""
        found = {row: self._plain.first(path) for row, path in self._plain.candidates_in(lines)}
        for row, path, numbers in self._wild.candidates_in(lines):
            best = found.get(row, self.default)
            found[row] = self._wild.first(numbers, path, best)
        return {row: number for row, number in found.items() if number != self.default}


class _PlainPatterns:
    """Patterns that are one text: the start of a path, or all of it."""

    def __init__(self, patterns: dict[Pattern, int], default: int):
        self._default = default
        self._whole: dict[str, int] = {}
        self._starts: dict[str, int] = {}
        for pattern, number in patterns.items():
            table = self._whole if pattern.is_anchored else self._starts
            table[pattern.pieces[0]] = number
        # Few paths start like a pattern at all, which a look-up of their first characters shows.
        self._head = min([_HEAD_CHARACTERS, *map(len, self._starts)])
        lengths: defaultdict[str, set[int]] = defaultdict(set)
        for text in self._starts:
            lengths[text[: self._head]].add(len(text))
        self._lengths = {head: tuple(each) for head, each in lengths.items()}
        self._heads = {text[: self._head] for text in (*self._starts, *self._whole)}
        self.heads = tuple(self._heads)
        self._expression = self._compile() if len(patterns) <= _FEW_TEXTS else None

    def _compile(self) -> re.Pattern[str]:
        starts = map(re.escape, self._starts)
        whole = (re.escape(text) + r"(?=\n)" for text in self._whole)
        return re.compile(rf"\n(?:{'|'.join([*starts, *whole])})")

    def first(self, path: str) -> int:
        best = self._whole.get(path, self._default)
        for length in self._lengths.get(path[: self._head], ()):
            best = min(best, self._starts.get(path[:length], best))
        return best

    def candidates_in(self, lines: str) -> Iterator[tuple[int, str]]:
        """Row and path of at least all paths that match."""
        if not self._heads:
            return iter(())
        if self._expression is not None:
            starts = (match.start() for match in self._expression.finditer(lines))
            return _lines_at(starts, lines)
        heads, head = self._heads, self._head
        paths = enumerate(lines[1:-1].split("\n"))
        return (each for each in paths if each[1][:head] in heads)


class _Wild(NamedTuple):
    start: str
    middle: tuple[str, ...]
    end: str
    is_anchored: bool
    least: int  # characters that a path must have

    def match(self, path: str) -> tuple[bool, int]:
        """Return whether it matches, and how many pieces were searched."""
        steps = 0
        if len(path) < self.least or not path.startswith(self.start):
            return False, steps
        position = len(self.start)
        for steps, piece in enumerate(self.middle, start=1):
            position = path.find(piece, position)
            if position < 0:
                return False, steps
            position += len(piece)
        if self.is_anchored:
            return path.endswith(self.end) and len(path) - len(self.end) >= position, steps
        return path.find(self.end, position) >= 0, steps


class _WildPatterns:
    """Patterns with wildcards, found by their probes."""

    def __init__(self, patterns: dict[Pattern, int]):
        self._patterns = {
            number: _Wild(
                each.pieces[0],
                each.pieces[1:-1],
                each.pieces[-1],
                each.is_anchored,
                sum(map(len, each.pieces)),
            )
            for each, number in patterns.items()
        }
        probes = {number: _probes(each.pieces) for each, number in patterns.items()}
        shared = Counter(chain.from_iterable(probes.values()))
        self._by_probe: defaultdict[str, list[int]] = defaultdict(list)
        for number, each in probes.items():
            start = self._patterns[number].start
            self._by_probe[_best_probe(each, start, shared)].append(number)
        by_length: defaultdict[int, set[str]] = defaultdict(set)
        for probe in self._by_probe:
            by_length[len(probe)].add(probe)
        self._probes = tuple(by_length.items())
        self.is_any = bool(patterns)

    def first(self, numbers: Iterable[int], path: str, best: int) -> int:
        """Return the first of *numbers*, in their order, that matches and is better than *best*."""
        steps = 0
        for number in numbers:
            if number >= best:
                break
            if steps > MAX_STEPS:
                return TOO_COMPLEX
            is_match, looked_for = self._patterns[number].match(path)
            if is_match:
                return number
            steps += _STEPS_TO_TRY + looked_for
        return best

    def candidates(self, path: str) -> list[int]:
        """Return the numbers of the patterns whose probe is in *path*, in order."""
        numbers: list[int] = []
        for length, probes in self._probes:
            for probe in _contained(probes, length, path):
                numbers += self._by_probe[probe]
        numbers.sort()
        return numbers

    def candidates_in(self, lines: str) -> Iterator[tuple[int, str, list[int]]]:
        """Row, path and `candidates` of the paths that have any."""
        if len(self._by_probe) > _FEW_PROBES:
            for row, path in enumerate(lines[1:-1].split("\n")):
                if numbers := self.candidates(path):
                    yield row, path, numbers
            return
        found: defaultdict[tuple[int, str], list[int]] = defaultdict(list)
        has_queries = "?" in lines
        for probe, numbers in self._by_probe.items():
            if "?" in probe and not has_queries:
                continue
            for line in _lines_with(probe, lines):
                found[line] += numbers
        for (row, path), numbers in found.items():
            numbers.sort()
            yield row, path, numbers


def _probes(pieces: Iterable[str]) -> list[str]:
    """Return the start and the end of each piece, in few different lengths: powers of two."""
    probes: dict[str, None] = {}
    for piece in dict.fromkeys(pieces):
        if piece:
            length = 1 << (min(len(piece), _MAX_PROBE_CHARACTERS).bit_length() - 1)
            probes[piece[:length]] = probes[piece[-length:]] = None
    return list(probes)


def _best_probe(probes: Iterable[str], start: str, shared: Counter[str]) -> str:
    """Return the probe that best avoids useless trials of a pattern.

    Preferably one that few patterns share, that is not in the start of the path (which many pages
    may share), and that is long.
    """

    def badness(probe: str) -> tuple[bool, bool, int]:
        return shared[probe] > _FEW_PATTERNS, probe in start, -len(probe)

    return min(probes, key=badness)


def _contained(probes: set[str], length: int, path: str) -> Iterable[str]:
    """Return those of *probes*, all of one *length*, that *path* contains."""
    # A search costs about 80 + len(path), a piece of the path in a set about 200 of the same unit.
    if len(probes) * (80 + len(path)) < 200 * len(path):
        return [probe for probe in probes if probe in path]
    return probes & {path[start : start + length] for start in range(len(path) - length + 1)}


def _lines_with(probe: str, lines: str) -> Iterator[tuple[int, str]]:
    """Number and text of the lines that contain *probe*."""
    return _lines_at(_line_ends_before(probe, lines), lines)


def _line_ends_before(probe: str, lines: str) -> Iterator[int]:
    """The line end before each line that contains *probe*."""
    found = lines.find(probe)
    while found >= 0:
        yield lines.rindex("\n", 0, found)
        found = lines.find(probe, lines.index("\n", found))


def _lines_at(starts: Iterable[int], lines: str) -> Iterator[tuple[int, str]]:
    """Number and text of the lines that begin after the line ends at *starts*, in order."""
    row = counted = 0
    for start in starts:
        row += lines.count("\n", counted, start)
        counted = start
        yield row, lines[start + 1 : lines.index("\n", start + 1)]
