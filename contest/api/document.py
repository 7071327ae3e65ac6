"""The OpenAPI document, and a page to read it in the house design, which needs no script."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils import translation
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator

ERROR = {
    "type": "object",
    "description": "Every error has this shape. `code` is stable; `message` is for people.",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message", "detail"],
            "properties": {
                "code": {"type": "string"},
                "message": {"type": "string"},
                "detail": {"type": "object", "nullable": True, "additionalProperties": True},
            },
        }
    },
}
ALWAYS = {
    "401": "The token is missing, unknown, revoked or expired.",
    "403": "The token lacks the scope, or is for another contest.",
    "404": "It does not exist, or not for you.",
    "429": "Too many requests; `Retry-After` says when to try again.",
    "503": "Database or files cannot be reached; nothing was accepted. `Retry-After` says when to try again.",
}
WITH_BODY = {
    "400": "The body cannot be read.",
    "408": "The body did not arrive in time.",
    "409": "Refused for now: a phase is closed, attempts are used, and the like. The code says which.",
    "413": "The upload is too large.",
    "415": "The body is of a type that this route does not take.",
    "422": "Some fields are not valid; `detail` names them.",
}


def add_errors(result: dict[str, Any], generator: Any, request: Any, public: bool) -> dict[str, Any]:
    """List the possible errors in every operation."""
    result["components"]["schemas"]["Error"] = ERROR
    for path in result["paths"].values():
        for method, operation in path.items():
            errors = dict(ALWAYS)
            if method == "post":
                errors = {**errors, **WITH_BODY}
            if any(it["in"] == "query" for it in operation.get("parameters", [])):
                errors["422"] = WITH_BODY["422"]
            for status, description in sorted(errors.items()):
                content = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
                operation["responses"][status] = {"description": description, "content": content}
    return result


@lru_cache(maxsize=1)
def build_document() -> dict[str, Any]:
    """The document, in English for everybody: it is built once, at the first request."""
    with translation.override("en"):
        document: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)
    return document


def texts() -> Iterator[str]:
    """What the page about the API says of it, to be translated."""
    yield from {**ALWAYS, **WITH_BODY}.values()
    document = build_document()
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            row = _row(document, path, method, operation)
            yield row["summary"]
            yield from (parameter.get("description", "") for parameter in row["parameters"])
            yield from (field["meaning"] for field in (*row["body"], *row["answer"]))


@require_safe
def schema(request: HttpRequest) -> JsonResponse:
    return JsonResponse(build_document(), json_dumps_params={"ensure_ascii": False})


@require_safe
def docs(request: HttpRequest) -> HttpResponse:
    document = build_document()
    groups: dict[str, list[dict[str, Any]]] = {}
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            row = _row(document, path, method, operation)
            groups.setdefault(operation["tags"][0], []).append(row)
    context = {"info": document["info"], "groups": groups, "errors": {**ALWAYS, **WITH_BODY}}
    return render(request, "contest/api_docs.html", context)


def _row(document: dict[str, Any], path: str, method: str, operation: dict[str, Any]) -> dict[str, Any]:
    needs_token = {} not in operation.get("security", [{}])
    body = operation.get("requestBody", {}).get("content", {})
    kind = next(iter(body), "")
    responses = operation["responses"]
    success = next(status for status in responses if status < "300")
    answer = responses[success].get("content", {})
    media = next(iter(answer), "")
    return {
        "id": operation["operationId"],
        "method": method.upper(),
        "path": path,
        "summary": operation.get("summary", ""),
        "needs_token": needs_token,
        "parameters": [it for it in operation.get("parameters", []) if it["in"] == "query"],
        "body_type": kind,
        "body": _fields(document, body[kind]["schema"]) if kind else [],
        "success": success,
        "media": media,
        "answer": _fields(document, answer[media]["schema"]) if media == "application/json" else [],
        "statuses": sorted(responses),
    }


def _fields(document: dict[str, Any], schema: dict[str, Any]) -> list[dict[str, str]]:
    """The fields of a body or an answer, flat; a list's are those of one of its rows."""
    found = _resolved(document, schema)
    if "results" in found.get("properties", {}):
        found = _resolved(document, found["properties"]["results"]["items"])
    return [
        {"name": name, "type": _type_name(field), "meaning": field.get("description", "").split("\n")[0]}
        for name, field in found.get("properties", {}).items()
    ]


def _resolved(document: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    if "$ref" in schema:
        resolved: dict[str, Any] = document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
        return resolved
    return schema


def _type_name(field: dict[str, Any]) -> str:
    for one in field.get("allOf", []) + field.get("oneOf", []):
        if "$ref" in one and not one["$ref"].endswith(("NullEnum", "BlankEnum")):
            return str(one["$ref"].rsplit("/", 1)[1])
    if "$ref" in field:
        return str(field["$ref"].rsplit("/", 1)[1])
    name = str(field.get("type", "any"))
    if name == "array":
        return f"list of {_type_name(field['items'])}"
    return f"{name} ({field['format']})" if "format" in field else name
