"""What schemathesis is told in a run: ids that are there, bodies that make things, how much of a phase to send.

Loaded by schemathesis itself (`tools/schemathesis.mjs` names it in SCHEMATHESIS_HOOKS). A tool of tests.
"""

import atexit
import json
import os
import re
import zlib
from collections import Counter

import schemathesis

#: One case of so many is sent in the phase of coverage; 1: all.
SHARE = int(os.environ.get("ASSAY_COVERAGE_SHARE", "1"))
#: The file that gets how often which status was answered in which phase.
STATUSES_FILE = os.environ.get("ASSAY_STATUSES_FILE")

METHODS = ("get", "put", "post", "delete")
PARAMETER = re.compile(r"\{[^/}]+\}")

_seen: Counter = Counter()
_made: Counter = Counter()
_statuses: Counter = Counter()


def _phase_of(case):
    return case.meta.phase.name.value if case.meta is not None else ""


def _is_positive(case, location):
    modes = {where.value: component.mode.is_positive for where, component in case.meta.components.items()}
    return modes.get(location, True)


def _concrete(path):
    """A path of the document with something in its parameters that no literal segment is."""
    return PARAMETER.sub("999999999", path)


def _takes(template, path):
    """Whether a template takes a concrete path."""
    pattern = "/".join("[^/]+" if PARAMETER.fullmatch(part) else re.escape(part) for part in template.split("/"))
    return re.fullmatch(pattern, path) is not None


def _is_shared(operation, method):
    """Whether another template takes the same path and knows the method: `/assemblies/test` is also `/assemblies/{id}`.

    What such a path answers to that method is the other operation's, and `Allow` lists the methods of both. The suite of
    the OpenAPI document checks `Allow` for each path with this taken into account.
    """
    paths = operation.schema.raw_schema["paths"]
    others = [item for path, item in paths.items() if path != operation.path and _takes(path, _concrete(operation.path))]
    method = method.lower()
    return any(method in item or (method == "options" and any(known in item for known in METHODS)) for item in others)


def _is_of_share(case):
    """A part of all cases that is the same in each run, and another one for each operation."""
    label = case.operation.label
    _seen[label] += 1
    return zlib.crc32(f"{label} {_seen[label]}".encode()) % SHARE == 0


@schemathesis.hook
def filter_case(context, case):
    if case.meta is None or _phase_of(case) != "coverage":
        return True
    scenario = getattr(case.meta.phase.data, "scenario", None)
    if scenario is not None and scenario.value == "unspecified_http_method" and _is_shared(case.operation, case.method):
        return False
    return SHARE == 1 or _is_of_share(case)


def _examples_of(operation):
    """The examples that the document was fed with: of path parameters by name, and of the body."""
    described = operation.schema.raw_schema["paths"][operation.path][operation.method.lower()]
    parameters = {
        parameter["name"]: parameter["example"]
        for parameter in described.get("parameters", [])
        if parameter.get("in") == "path" and "example" in parameter
    }
    content = described.get("requestBody", {}).get("content", {}).get("application/json", {})
    return parameters, content.get("example")


def _named_anew(body, number):
    """The same with other names, because names are taken once."""
    if not isinstance(body, dict):
        return body
    return {
        key: f"{value} {number}"
        if key in ("name", "key", "username") and isinstance(value, str)
        else _named_anew(value, number)
        for key, value in body.items()
    }


def _linked(schema):
    """The ids of the operations that a link of the document leads to."""
    return {
        link["operationId"]
        for item in schema.raw_schema["paths"].values()
        for operation in item.values()
        for response in operation.get("responses", {}).values()
        for link in response.get("links", {}).values()
    }


@schemathesis.hook
def map_case(context, case):
    """Half of what is made up is about things that are there; nearly all of a chain is, or it would end where it begins."""
    phase = _phase_of(case)
    if phase not in ("fuzzing", "stateful"):
        return case
    label = case.operation.label
    _made[label] += 1
    number = _made[label]
    if phase == "fuzzing" and number % 2 == 0 or phase == "stateful" and number % 8 == 0:
        return case
    parameters, body = _examples_of(case.operation)
    # What a link has brought stays.
    is_linked = phase == "stateful" and case.operation.definition.raw.get("operationId") in _linked(case.operation.schema)
    if not is_linked and _is_positive(case, "path"):
        for name, value in parameters.items():
            if name in (case.path_parameters or {}):
                case.path_parameters[name] = value
    if phase == "stateful" and body is not None and _is_positive(case, "body"):
        case.body = _named_anew(body, number)
    return case


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """What the interface means by it: deleting a policy archives it, and it can be read on; a merged tag is gone."""
    kind = type(failure).__name__
    if kind == "UseAfterFree":
        return re.match(r"DELETE /catalog-server/api/rules/", failure.free) is None
    if kind == "EnsureResourceAvailability":
        return failure.created_with != "POST /catalog-server/api/tags"
    return True


@schemathesis.hook
def after_call(context, case, response):
    _statuses[f"{_phase_of(case)} {response.status_code}"] += 1


@atexit.register
def _tell_statuses():
    if STATUSES_FILE:
        with open(STATUSES_FILE, "w", encoding="utf-8") as file:
            json.dump(dict(sorted(_statuses.items())), file)
