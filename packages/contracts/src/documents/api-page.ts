import { type Example, examplePath, recordedExamples } from '../examples/recorded.ts'
import type { Operation } from '../operations/operation.ts'
import { operations as allOperations } from '../operations/table.ts'
import { shortened } from './shortened.ts'
import { statusesOf, subjectOf, subjectsOf } from './subjects.ts'

/** In characters. */
const mostOfExample = 400

const fenced = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\``

function requestText(operation: Operation, example: Example): string {
  const { body } = example
  const line = `${operation.method} ${examplePath(operation, example)}`
  return body === undefined ? line : `${line}\n\n${shortened(body, mostOfExample)}`
}

function answerText(operation: Operation, success: number, { answer, refused }: Example): string {
  if (refused) return `${refused.status}\n\n${shortened(refused.answer, mostOfExample)}`
  if (answer === undefined) return operation.file ? `${success}, the file` : `${success}, without a body`
  return `${success}\n\n${shortened(answer, mostOfExample)}`
}

function sectionOf(operation: Operation, example: Example): string {
  const { success, failures } = statusesOf(operation)
  const permissions = operation.permissions.join(', ') || 'any key'
  const facts = `Permissions: ${permissions}. Statuses: ${success}; ${failures.join(', ')}.`
  const sent = fenced('http', requestText(operation, example))
  const got = fenced('http', answerText(operation, success, example))
  return `### ${operation.method} ${operation.path}\n\n${operation.summary}\n\n${facts}\n\n${sent}\n\n${got}\n`
}

const head = `# Operations

Made from the table of operations by \`npm run documents\`; the same, with every field, is served at \`/openapi.json\` and
shown at \`/docs\`. The public events are in [asyncapi.json](asyncapi.json), which is served at \`/asyncapi.json\`.

Every request carries a key pair: headers \`accessKey\` and \`secretKey\`, or \`Authorization: Bearer\` with
\`base64(accessKey:secretKey)\`. Checks come in this order: 401, 429, 403 (all the permissions that are named are needed), 400, then
what is found. A known path with another method is 405 with \`Allow\`, a body over 1 MiB 413; 503 with \`Retry-After\` while what
an operation needs is not to be had, and in the distributed form 502 and 504 when a service breaks off or is late. Every error has the body
\`{"errors": [{"message", "status", "details"?}]}\`. The first of the statuses is the success.

**Misspelt fields are refused.** A body field or query parameter that is not known, and whose name is within two edits (one,
below five letters) of a known name that is absent there, is a 400 that names both: \`"fliter" is not known here; did you mean
"filter"?\`. Other unknown fields are dropped, and the header \`x-assay-ignored\` of the answer lists their paths (at most 20,
comma-separated, percent-encoded). With \`Prefer: handling=strict\` each of them is a 400. An assembly's \`configuration\`, an item's
\`value\` and \`thresholdConfig\`, markers, \`baseline\` and \`severity\` are always strict. Names that clients read in a record and send
back are never refused.

The examples were recorded from a run on movies, weather and flights of the data that the first start crawls, and on a copy of
the weather in which one row is altered, as the assembly \`warehouse\`; ids are those of that run and mean the same in all of
them, yours are others. \`...\` stands for what is left out here; \`/openapi.json\` has them whole, with
lists of at most three. An example that begins with a status is what this version says where it has nothing to answer yet.

API_KEYS_MODIFY revokes any key of the tenant, also one that can do more than the caller's: revoking only takes away. It
neither makes, nor rotates, nor gives roles to what could do more than the caller's key: that is 403.

Listings take \`page\` (from 0), \`size\` (25; at most 500; 0: the count alone) and \`sortBy=<field>:asc|desc\`, and answer
\`{count, page, size}\`. An empty list as a filter (\`tag_ids=\`) filters nothing. Each page names its moment in the header
\`x-assay-as-of\`. Send it back with the later pages, as the header or as the query parameter \`asOf\`, and they show and count
only what was there then: rows that are added meanwhile neither repeat nor hide others, whichever gateway, replica or key
reads them. Without it each page is of now, which lists in ascending order of ids bear and newest-first lists do not. A rebuild
of the read models ends a moment: pages are then of now. A row that is changed, archived or removed meanwhile is shown as it
is, so in an order by what was changed (\`updatedAt\`, \`finishedAt\`) it, and what is behind it, may move.

**One's own writes can be read at once.** An answer says in \`x-assay-position\` how far the log stood for what was written or
shown, and in \`x-assay-written\` where it has what was written. The gateway keeps both for each key for ten seconds and lets
later reads wait for them, bounded. A caller who reads with another key, or through another gateway,
sends the headers along, the first for what is read, the second for the audit.
`

/** docs/api.md: a heading per operation that can be linked to, with permissions, statuses and an example. Pure. */
export function apiPage(operations: readonly Operation[] = allOperations): string {
  const examples = recordedExamples()
  const parts = subjectsOf(operations).map((subject) => {
    const of = operations.filter((operation) => subjectOf(operation) === subject)
    const keyOf = ({ path, method }: Operation) => `${path} ${method}`
    const sections = of
      .toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))
      .map((each) => sectionOf(each, examples[each.id] ?? {}))
    return `\n## ${subject}\n\n${sections.join('\n')}`
  })
  return `${head}${parts.join('')}`
}
