"""Hooks of schemathesis: use existing ids and valid bodies, send only a share of the cases, drop false failures.

Schemathesis loads this file (`tools/schemathesis.mjs` sets SCHEMATHESIS_HOOKS). Only for tests.
"""

import atexit
import json
import os
import re
import zlib
from collections import Counter

import schemathesis

#: The coverage phase sends one of SHARE cases; 1: all.
SHARE = int(os.environ.get("ASSAY_COVERAGE_SHARE", "1"))
#: A suffix for the names in this run, because names are unique across runs.
RUN = os.environ.get("ASSAY_RUN", "0")
#: The file for the number of answers by phase and status.
STATUSES_FILE = os.environ.get("ASSAY_STATUSES_FILE")

#: The access key of this run. If a request deleted or changed it, all later answers would be 401.
ACCESS_KEY = os.environ.get("ASSAY_ACCESS_KEY")

METHODS = ("get", "put", "post", "delete")
ASSEMBLIES = "/catalog-server/api/assemblies"
TAGS = "/catalog-server/api/tags"
PARAMETER = re.compile(r"\{[^/}]+\}")

_seen: Counter = Counter()
_generated: Counter = Counter()
_statuses: Counter = Counter()
_merged_tags: set = set()
#: The paths of policies that were archived and unarchived.
_unarchived: set = set()


def _phase_of(case):
    return case.meta.phase.name.value if case.meta is not None else ""


def _is_positive(case, location):
    modes = {where.value: component.mode.is_positive for where, component in case.meta.components.items()}
    return modes.get(location, True)


def _concrete(path):
    """A path of the document whose parameters have a value that equals no literal segment."""
    return PARAMETER.sub("999999999", path)


def _matches(template, path):
    """Whether a template matches a concrete path."""
    pattern = "/".join("[^/]+" if PARAMETER.fullmatch(part) else re.escape(part) for part in template.split("/"))
    return re.fullmatch(pattern, path) is not None


def _is_shared(operation, method):
    """Whether another template with this method matches the path: `/assemblies/test` is also `/assemblies/{id}`.

    The other operation then answers, and `Allow` lists the methods of both. The suite of the OpenAPI document checks
    `Allow` of such paths.
    """
    paths = operation.schema.raw_schema["paths"]
    others = [item for path, item in paths.items() if path != operation.path and _matches(path, _concrete(operation.path))]
    method = method.lower()
    return any(method in item or (method == "options" and any(known in item for known in METHODS)) for item in others)


def _is_of_share(case):
    """Whether to send this case: the same cases in each run, and different ones for each operation."""
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
    """The examples in the document: of path parameters by name, and of the body."""
    described = operation.schema.raw_schema["paths"][operation.path][operation.method.lower()]
    parameters = {
        parameter["name"]: parameter["example"]
        for parameter in described.get("parameters", [])
        if parameter.get("in") == "path" and "example" in parameter
    }
    content = described.get("requestBody", {}).get("content", {}).get("application/json", {})
    return parameters, content.get("example")


def _renamed(body, number):
    """The same body with other names, because names are unique."""
    if not isinstance(body, dict):
        return body
    return {
        key: f"{value} {RUN}.{number}"
        if key in ("name", "key", "username") and isinstance(value, str)
        else _renamed(value, number)
        for key, value in body.items()
    }


def _linked(schema):
    """The ids of the operations that links of the document call."""
    return {
        link["operationId"]
        for item in schema.raw_schema["paths"].values()
        for operation in item.values()
        for response in operation.get("responses", {}).values()
        for link in response.get("links", {}).values()
    }


def _is_kept(case, is_linked):
    """Whether the case stays as generated: one in eight, chosen by a hash, so that repeated cases get the same choice.

    Otherwise schemathesis takes the chain for unstable and ends the phase early without a message.
    """
    generated = [case.body, case.query, {} if is_linked else case.path_parameters]
    return zlib.crc32(json.dumps(generated, default=lambda _: None, sort_keys=True).encode()) % 8 == 0


def _without_options(case):
    """The query with required parameters only. Most generated optional values are refused, which ends the chain."""
    required = {each.name for each in case.operation.query if each.is_required}
    return {name: value for name, value in (case.query or {}).items() if name in required}


@schemathesis.hook
def map_case(context, case):
    """Makes half of the single cases use existing objects, and nearly all cases of chains, which otherwise end immediately."""
    phase = _phase_of(case)
    if phase not in ("fuzzing", "stateful"):
        return case
    label = case.operation.label
    _generated[label] += 1
    number = _generated[label]
    # Keeps the parameters that come from a link.
    is_linked = phase == "stateful" and case.operation.definition.raw.get("operationId") in _linked(case.operation.schema)
    is_kept = number % 2 == 0 if phase == "fuzzing" else _is_kept(case, is_linked)
    parameters, body = _examples_of(case.operation)
    if not is_kept and not is_linked and _is_positive(case, "path"):
        for name, value in parameters.items():
            if name in (case.path_parameters or {}):
                case.path_parameters[name] = value
    if phase == "stateful":
        # Keeps values that were generated to be refused, because accepting a replacement would count as a fault.
        if not is_kept and _is_positive(case, "query"):
            case.query = _without_options(case)
        if body is not None and _is_positive(case, "body"):
            case.body = _renamed(case.body if is_kept else body, number)
    return case


def _is_merged_tag(failure, case):
    """Whether this tag was merged into another one, and therefore does not exist although nothing deleted it."""
    return failure.created_with == f"POST {TAGS}" and str((case.path_parameters or {}).get("id")) in _merged_tags


def _is_archived_policy(failure, case, response):
    """Whether this reads an archived policy, its items or its executions, which stay readable.

    A DELETE archives if the document has an `unarchive` operation for the same path.
    """
    template = failure.operation.removeprefix("DELETE ")
    if "post" not in case.operation.schema.raw_schema["paths"].get(f"{template}/unarchive", {}):
        return False
    policy = failure.free.removeprefix("DELETE ")
    if case.formatted_path == policy:
        return response.json()["rule"]["archived"] is (policy not in _unarchived)
    return case.formatted_path in (f"{policy}/items", f"{policy}/executions")


def _is_history(failure, case):
    """Whether this reads the crawls of a deleted assembly, which stay readable."""
    freed = failure.free.removeprefix("DELETE ")
    return failure.operation == f"DELETE {ASSEMBLIES}/{{id}}" and case.formatted_path == f"{freed}/crawls"


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Drops failures that are correct behaviour: of merged tags, archived policies and crawls of deleted assemblies."""
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
def _write_statuses():
    if STATUSES_FILE:
        with open(STATUSES_FILE, "w", encoding="utf-8") as file:
            json.dump(dict(sorted(_statuses.items())), file)
