import { type Example, examplePath, recordedExamples } from '../examples/recorded.ts'
import type { Operation } from '../operations/operation.ts'
import { operations as allOperations } from '../operations/table.ts'
import { shortened } from './shortened.ts'
import { statusesOf, subjectOf, subjectsOf } from './subjects.ts'

const maxExampleCharacters = 400

const fenced = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\``

function requestText(operation: Operation, example: Example): string {
  const { body } = example
  const line = `${operation.method} ${examplePath(operation, example)}`
  return body === undefined ? line : `${line}\n\n${shortened(body, maxExampleCharacters)}`
}

function answerText(operation: Operation, success: number, { answer, refused }: Example): string {
  if (refused) return `${refused.status}\n\n${shortened(refused.answer, maxExampleCharacters)}`
  if (answer === undefined) return operation.file ? `${success}, the file` : `${success}, without a body`
  return `${success}\n\n${shortened(answer, maxExampleCharacters)}`
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

\`npm run documents\` generates this page from the table of operations. \`/openapi.json\` has the same operations with every
field, and \`/docs\` shows them. [asyncapi.json](asyncapi.json), served at \`/asyncapi.json\`, describes the public events.

## Requests and errors

Every request needs a key pair: the headers \`accessKey\` and \`secretKey\`, or \`Authorization: Bearer\` with
\`base64(accessKey:secretKey)\`. Every error has the body \`{"errors": [{"message", "status", "details"?}]}\`. Each operation below
lists its statuses, the success first. Checks happen in this order:

| status | meaning |
|---|---|
| 401 | no valid key |
| 429 | too many requests |
| 403 | a permission is missing; an operation needs all that it lists |
| 400 | the request is invalid |
| 404, 409, 422 and others | the operation refuses the request |

A known path with another method gets 405 with \`Allow\`, and a body over 1 MiB gets 413. If a store that an operation needs is
unavailable, it answers 503 with \`Retry-After\`. In the distributed form, 502 means that a service broke the connection, and 504
that it did not answer in time.

**Misspelt fields are refused.** An unknown body field or query parameter gets 400 if its name is within two edits (one edit for
fewer than five letters) of a known field that is absent: \`"fliter" is not known here; did you mean "filter"?\`. Other unknown
fields are ignored, and the header \`x-assay-ignored\` of the answer lists their paths (at most 20, comma-separated,
percent-encoded).

- With \`Prefer: handling=strict\`, every unknown field gets 400.
- An assembly's \`configuration\`, an item's \`value\` and \`thresholdConfig\`, markers, \`baseline\`, \`backfill\` and \`severity\` are always strict.
- So are the bodies of \`watches\`, of \`notification-channels\`, \`-mutes\`, \`-rules\` and \`-settings\`.
- Fields of a record are never refused when a client sends the record back.

**Permissions of keys.** A key with API_KEYS_MODIFY can revoke any key of the tenant, including one with more permissions than its
own. To create or rotate a key, or to give roles to one, it needs all permissions of that key; otherwise the answer is 403.

## Lists

Lists take \`page\` (from 0), \`size\` (default 25, at most 500; 0 returns only the count) and \`sortBy=<field>:asc|desc\`, and return
\`{count, page, size}\`. An empty list as a filter (\`tag_ids=\`) filters nothing.

Each page has a snapshot token in the header \`x-assay-as-of\`. Send it with the requests for other pages, as the header or as the
query parameter \`asOf\`, through any gateway and with any key. These pages then show and count only the rows that existed at the
time of the snapshot, so no row is repeated or skipped because of later ones.

- Rows that were changed, archived or removed since appear in their current state, so they may move in an order by \`updatedAt\` or
  \`finishedAt\`.
- Without the token, each page shows the current rows. A list that begins with the newest row then repeats rows when new ones are
  added.
- After a rebuild of the read models, an older token has no effect.

## Reading one's own writes

A client can read its own writes immediately. An answer has two headers: \`x-assay-position\` names what it wrote or showed, by
streams with their revisions (\`catalog:tag-12@3\`); \`x-assay-written\` has the positions of its writes in the log. The gateway
keeps both for each key for ten seconds, and later requests wait for them, for a limited time. They also wait for what other keys
of the tenant wrote from the same address. A client that reads through another gateway, with another key from another address, or
the audit with another key, sends the headers itself:
\`x-assay-position\` for reads in general, \`x-assay-written\` for the audit.

## Examples

The examples were recorded in one run on movies, weather and flights of the bundled samples, and on a copy of the weather with
one changed row, as the assembly \`warehouse\`. An id means the same object in all examples; your ids differ. \`...\` replaces
omitted text. The examples in \`/openapi.json\` are complete, except that lists have at most three elements. An example that begins
with an error status shows the answer of an operation for which the run had no data.
`

/** docs/api.md: a section per operation with permissions, statuses and an example. Pure. */
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
