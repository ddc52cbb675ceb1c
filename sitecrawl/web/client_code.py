"""Writes the typed operations of ``sitecrawl.client`` from the description of the API."""

from __future__ import annotations

import keyword
import re
from typing import TYPE_CHECKING, Any, Final

from pydantic.alias_generators import to_snake

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_HEAD: Final = '''\
"""The operations of the API, made from docs/openapi.json; do not edit, but ``make openapi``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NotRequired, TypedDict
from urllib.parse import quote
'''
_CLASS: Final = '''

class Operations:
    """A method for each operation; :class:`sitecrawl.client.Client` sends them."""

    def _json(self, *arguments: Any, **options: Any) -> Any:
        raise NotImplementedError

    def _bytes(self, *arguments: Any, **options: Any) -> bytes:
        raise NotImplementedError

    def _nothing(self, *arguments: Any, **options: Any) -> None:
        raise NotImplementedError

    def _events(self, *arguments: Any, **options: Any) -> Iterator[tuple[str, str, Any]]:
        raise NotImplementedError
'''
_SIMPLE: Final = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "null": "None",
}
_METHODS: Final = ("get", "post", "put", "patch", "delete")
_NOT_ANSWERED: Final = frozenset({"Problem", "FieldError"})
_IGNORED: Final = "  # type: ignore[no-any-return]"


def client_code(schema: Mapping[str, Any]) -> str:
    """The module as text."""
    parts = schema["components"]["schemas"]
    named = _used(schema, parts)
    pieces = [_HEAD]
    pieces += [_model(name, parts[name]) for name in sorted(named)]
    pieces.append(_CLASS)
    for path, methods in schema["paths"].items():
        pieces += [
            _operation(path, method, methods[method]) for method in _METHODS if method in methods
        ]
    return "".join(pieces)


def _used(schema: Mapping[str, Any], parts: Mapping[str, Any]) -> set[str]:
    """The schemas that operations need, with those that these need."""
    found: set[str] = set()
    waiting = [*_references(schema["paths"])]
    while waiting:
        name = waiting.pop()
        if name not in found and name not in _NOT_ANSWERED:
            found.add(name)
            waiting += _references(parts[name])
    return found


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if "$ref" in value:
            yield value["$ref"].rpartition("/")[2]
        for inner in value.values():
            yield from _references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _references(inner)


def _model(name: str, schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return f"\n{name} = {_literal(schema['enum'])}\n"
    needed = set(schema.get("required", ()))
    lines = [f"\n\nclass {name}(TypedDict):\n"]
    if words := schema.get("description", "").split("\n\n")[0].strip():
        lines.append(f'    """{words}"""\n\n')
    fields = schema.get("properties", {})
    for field, shape in fields.items():
        type_ = _type(shape)
        lines.append(f"    {field}: {type_ if field in needed else f'NotRequired[{type_}]'}\n")
    return "".join(lines) if fields else f"\n{name} = dict[str, Any]\n"


def _type(shape: Mapping[str, Any]) -> str:
    found: str
    match shape:
        case {"$ref": reference}:
            found = str(reference).rpartition("/")[2]
        case {"anyOf": choices}:
            found = " | ".join(dict.fromkeys(_type(each) for each in choices))
        case {"enum": values}:
            found = _literal(values)
        case {"const": value}:
            found = _literal([value])
        case {"type": "array"}:
            found = f"list[{_type(shape.get('items', {}))}]"
        case {"type": "object", "additionalProperties": dict(inner)}:
            found = f"dict[str, {_type(inner)}]"
        case {"type": "object"}:
            found = "dict[str, Any]"
        case _:
            found = _SIMPLE.get(shape.get("type", ""), "Any")
    return found


def _literal(values: list[Any]) -> str:
    return f"Literal[{', '.join(_quoted(value) for value in values)}]"


def _quoted(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _operation(path: str, method: str, operation: Mapping[str, Any]) -> str:
    parameters = operation.get("parameters", [])
    by_place = {
        place: [each for each in parameters if each["in"] == place]
        for place in ("path", "query", "header")
    }
    by_place["path"].sort(key=lambda each: path.index(f"{{{each['name']}}}"))
    arguments = ["self", *(f"{_name(each)}: {_type(each['schema'])}" for each in by_place["path"])]
    body = _body_type(operation)
    if body:
        arguments.append(f"body: {body}")
    optional = [*by_place["query"], *by_place["header"]]
    if optional:
        arguments.append("*")
        arguments += [_optional(each) for each in optional]
    sends, answers = _answer(operation)
    call = [
        _quoted(method.upper()),
        _path(path),
        _mapping(by_place["query"]),
        _mapping(by_place["header"]),
    ]
    if body:
        call.append("body=body")
    words = (operation.get("description") or operation["summary"]).split("\n\n")[0]
    doc = " ".join(words.split()).replace("\\", "\\\\")
    return (
        f"\n    def {to_snake(operation['operationId'])}(\n        "
        + ",\n        ".join(arguments)
        + f",\n    ) -> {answers}:\n"
        + f'        """{doc}"""\n'
        + f"        return self.{sends}({_IGNORED if sends == '_json' else ''}\n            "
        + ",\n            ".join(call)
        + ",\n        )\n"
    )


def _name(parameter: Mapping[str, Any]) -> str:
    name = to_snake(parameter["name"].replace("-", "_")).strip("_")
    return f"{name}_" if keyword.iskeyword(name) or name in {"format", "type"} else name


def _optional(parameter: Mapping[str, Any]) -> str:
    type_ = _type(parameter["schema"])
    if parameter.get("required"):
        return f"{_name(parameter)}: {type_}"
    if type_.startswith("list["):
        type_ = f"Sequence[{type_[5:-1]}]"
    return f"{_name(parameter)}: {type_ if 'None' in type_ else f'{type_} | None'} = None"


def _body_type(operation: Mapping[str, Any]) -> str:
    content = operation.get("requestBody", {}).get("content", {})
    shape = content.get("application/json", {}).get("schema")
    return _type(shape) if shape else ""


def _answer(operation: Mapping[str, Any]) -> tuple[str, str]:
    """Which method sends it, and what that gives."""
    success = next(
        answer for status, answer in operation["responses"].items() if status.startswith("2")
    )
    content = success.get("content", {})
    if "text/event-stream" in content:
        return "_events", "Iterator[tuple[str, str, Any]]"
    if success.get("x-download"):
        return "_bytes", "bytes"
    if not content:
        return "_nothing", "None"
    return "_json", _type(content["application/json"].get("schema", {}))


def _path(path: str) -> str:
    if "{" not in path:
        return _quoted(path)
    filled = re.sub(
        r"\{(\w+)\}", lambda found: f"{{quote(str({_name({'name': found[1]})}), safe='')}}", path
    )
    return f'f"{filled}"'


def _mapping(parameters: list[Mapping[str, Any]]) -> str:
    pairs = [f"{_quoted(each['name'])}: {_name(each)}" for each in parameters]
    return f"{{{', '.join(pairs)}}}"
