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
#: What the names of this run end with: another run may have taken those without.
RUN = os.environ.get("ASSAY_RUN", "0")
#: The file that gets how often which status was answered in which phase.
STATUSES_FILE = os.environ.get("ASSAY_STATUSES_FILE")

#: The key of this run, which it finds in the list of keys: without it all that follows would be 401.
ACCESS_KEY = os.environ.get("ASSAY_ACCESS_KEY")

METHODS = ("get", "put", "post", "delete")
ASSEMBLIES = "/catalog-server/api/assemblies"
TAGS = "/catalog-server/api/tags"
PARAMETER = re.compile(r"\{[^/}]+\}")

_seen: Counter = Counter()
_made: Counter = Counter()
_statuses: Counter = Counter()
_merged_tags: set = set()
#: The paths of policies that were archived and are in use again.
_unarchived: set = set()


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
    if case.method != "GET" and ACCESS_KEY is not None and ACCESS_KEY in (case.path_parameters or {}).values():
        return False
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
        key: f"{value} {RUN}.{number}"
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


def _is_kept(case, is_linked):
    """One in eight stays as it was made up, told by what it is: the same choices have to lead to the same chain.

    Otherwise the phase ends early, without a word: it takes for unstable what answers another time something else.
    """
    what_is_drawn = [case.body, case.query, {} if is_linked else case.path_parameters]
    return zlib.crc32(json.dumps(what_is_drawn, default=lambda _: None, sort_keys=True).encode()) % 8 == 0


def _without_options(case):
    """The query with no more than it must have: most of what is made up for the rest is refused, which ends the chain."""
    required = {each.name for each in case.operation.query if each.is_required}
    return {name: value for name, value in (case.query or {}).items() if name in required}


@schemathesis.hook
def map_case(context, case):
    """Half of what is made up is about things that are there; nearly all of a chain is, or it would end where it begins."""
    phase = _phase_of(case)
    if phase not in ("fuzzing", "stateful"):
        return case
    label = case.operation.label
    _made[label] += 1
    number = _made[label]
    # What a link has brought stays.
    is_linked = phase == "stateful" and case.operation.definition.raw.get("operationId") in _linked(case.operation.schema)
    is_kept = number % 2 == 0 if phase == "fuzzing" else _is_kept(case, is_linked)
    parameters, body = _examples_of(case.operation)
    if not is_kept and not is_linked and _is_positive(case, "path"):
        for name, value in parameters.items():
            if name in (case.path_parameters or {}):
                case.path_parameters[name] = value
    if phase == "stateful":
        # What was made up to be refused stays, or its acceptance would be taken for a fault.
        if not is_kept and _is_positive(case, "query"):
            case.query = _without_options(case)
        if body is not None and _is_positive(case, "body"):
            case.body = _named_anew(case.body if is_kept else body, number)
    return case


def _is_merged_tag(failure, case):
    """Whether the chain has made another tag of this one before: then it is gone, though nothing deleted it."""
    return failure.created_with == f"POST {TAGS}" and str((case.path_parameters or {}).get("id")) in _merged_tags


def _is_archived_policy(failure, case, response):
    """Whether this reads a policy that was archived, which stays readable, and says so, with its items and executions.

    An operation archives when the document has its reverse beside it.
    """
    template = failure.operation.removeprefix("DELETE ")
    if "post" not in case.operation.schema.raw_schema["paths"].get(f"{template}/unarchive", {}):
        return False
    policy = failure.free.removeprefix("DELETE ")
    if case.formatted_path == policy:
        return response.json()["rule"]["archived"] is (policy not in _unarchived)
    return case.formatted_path in (f"{policy}/items", f"{policy}/executions")


def _is_history(failure, case):
    """Whether this reads which crawls there were of an assembly that was deleted: its history stays."""
    freed = failure.free.removeprefix("DELETE ")
    return failure.operation == f"DELETE {ASSEMBLIES}/{{id}}" and case.formatted_path == f"{freed}/crawls"


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Drops what is as it has to be: a merged tag is gone, an archived policy is not, nor is the history of an assembly."""
    kind = type(failure).__name__
    if kind == "EnsureResourceAvailability":
        return not _is_merged_tag(failure, case)
    if kind == "UseAfterFree":
        return not (_is_archived_policy(failure, case, response) or _is_history(failure, case))
    return True


@schemathesis.hook
def after_call(context, case, response):
    _statuses[f"{_phase_of(case)} {response.status_code}"] += 1
    if response.status_code >= 300:
        return
    path = case.operation.path
    if path == f"{TAGS}/{{id}}/merge":
        _merged_tags.add(str(case.path_parameters["id"]))
    elif path.endswith("/unarchive"):
        _unarchived.add(case.formatted_path.removesuffix("/unarchive"))
    elif case.method == "DELETE":
        _unarchived.discard(case.formatted_path)


@atexit.register
def _tell_statuses():
    if STATUSES_FILE:
        with open(STATUSES_FILE, "w", encoding="utf-8") as file:
            json.dump(dict(sorted(_statuses.items())), file)
