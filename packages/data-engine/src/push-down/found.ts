import { createHash } from 'node:crypto'
import { placeOf } from '../databases/place.ts'
import type { DatabaseSource, Declared, Discovered, SkippedFiles } from '../dataset.ts'
import type { OrderedEntry } from '../sql/view-reads.ts'

/** A table or view, as the catalog of a server has it. */
interface FoundTable {
  assetType: 'TABLE' | 'VIEW'
  definition: string
  schema: string
  name: string
  /** Estimates of the server; null if it has none. */
  rows: number | null
  bytes: number | null
  comment: string | null
}

interface FoundColumn {
  name: string
  dataType: string
  required: boolean
  comment: string | null
}

type Keys = Pick<Declared, 'primaryKey' | 'uniqueKeys' | 'foreignKeys'>

function declaredOf(comment: string | null, columns: readonly FoundColumn[], keys: Keys): Declared {
  const comments = columns.flatMap(({ name, comment: text }) => (text === null ? [] : [[name, text] as const]))
  return {
    ...(comment === null ? {} : { comment }),
    ...(comments.length === 0 ? {} : { columnComments: Object.fromEntries(comments) }),
    ...keys,
  }
}

/** A table of a database as a crawl reports it. `columns`: the columns that the user may read. */
export function foundTable<T extends FoundTable>(
  source: DatabaseSource,
  { entry, reads, definition }: OrderedEntry<T>,
  { columns, keys, sourceId }: { columns: readonly FoundColumn[]; keys: Keys; sourceId: number | undefined },
): Discovered {
  const { database } = placeOf(source)
  const declared = declaredOf(entry.comment, columns, keys)
  const typed = columns.map(({ name, dataType }) => ({ name, dataType }))
  return {
    kind: 'table',
    path: [database, entry.schema],
    name: entry.name,
    assetType: entry.assetType,
    locator: {
      ...{ kind: 'relation', engine: source.sourceType, schema: entry.schema, table: entry.name, columns: typed },
      ...(sourceId === undefined ? {} : { source: sourceId }),
      ...(definition === undefined ? {} : { definition }),
      fingerprint: createHash('sha256').update(JSON.stringify(typed)).digest('hex').slice(0, 32),
    },
    columns: columns.map(({ name, dataType, required }) => ({ name, dataType, nullable: !required, children: [] })),
    rowCount: entry.rows,
    sizeBytes: entry.bytes,
    lastChangedAt: null,
    fileCount: null,
    warnings: { total: 0, first: [] },
    ...(reads === undefined ? {} : { reads: reads.map((read) => [database, read.schema, read.name]) }),
    ...(Object.keys(declared).length === 0 ? {} : { declared }),
  }
}

const mostSkipped = 100

/** Tables that the user may not read. `message`: what to do. */
export function skippedTables(unread: readonly { schema: string; name: string }[], message: string): SkippedFiles {
  const first = unread.slice(0, mostSkipped).map(({ schema, name }) => ({ path: `${schema}.${name}`, message }))
  return { total: unread.length, first }
}

/** Maximum number of tables whose columns one statement reads. */
export const tablesAtOnce = 200
