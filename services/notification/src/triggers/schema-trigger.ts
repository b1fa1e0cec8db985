import { z } from 'zod'
import { aboutAsset } from './content.ts'
import type { WatchedContent } from './trigger.ts'

const columnState = z.object({ id: z.int(), dataType: z.string().optional(), nullable: z.boolean().optional() })
const schemaChange = z.object({
  assetId: z.int(),
  uid: z.string(),
  added: z.array(z.object({ assetId: z.int(), name: z.string(), dataType: z.string().optional() })),
  returned: z.array(columnState),
  changed: z.array(columnState.extend({ was: z.object({ dataType: z.string(), nullable: z.boolean() }).optional() })),
  removed: z.array(z.int()),
  names: z.array(z.object({ assetId: z.int(), name: z.string() })).optional(),
})
type SchemaChange = z.infer<typeof schemaChange>

/** Maximum number of columns of a group that a text names. */
const maxNamed = 10

function listed(heading: string, columns: readonly string[]): string[] {
  if (columns.length === 0) return []
  const more = columns.length > maxNamed ? `, and ${columns.length - maxNamed} more` : ''
  return [`${heading}: ${columns.slice(0, maxNamed).join(', ')}${more}.`]
}

function differenceOf({ dataType, nullable, was }: SchemaChange['changed'][number]): string {
  if (was === undefined) return 'has another type'
  if (was.dataType !== dataType) return `is ${dataType}, was ${was.dataType}`
  return nullable ? 'can be null now' : 'can no longer be null'
}

/** The difference as sentences. Pure. */
function differences({ added, returned, changed, removed, names = [] }: SchemaChange): string {
  const byId = new Map(names.map(({ assetId, name }) => [assetId, name]))
  const nameOf = (id: number) => byId.get(id) ?? `column ${id}`
  const parts = [
    ...listed(
      'Added',
      added.map(({ name, dataType }) => (dataType === undefined ? name : `${name} (${dataType})`)),
    ),
    ...listed(
      'Returned',
      returned.map(({ id }) => nameOf(id)),
    ),
    ...listed(
      'Changed',
      changed.map((column) => `${nameOf(column.id)} ${differenceOf(column)}`),
    ),
    ...listed('Removed', removed.map(nameOf)),
  ]
  return parts.join(' ') || 'The order of the columns changed.'
}

/**
 * One notification for the table with the difference, and one for each column that returned, changed or was removed.
 * Throws a ZodError if the data does not match. Pure.
 */
export function ofSchemaChange(data: unknown, at: string): WatchedContent[] {
  const change = schemaChange.parse(data)
  const { assetId, uid, returned, changed, removed, names = [] } = change
  const byId = new Map(names.map(({ assetId: id, name }) => [id, name]))
  const column = (id: number, kind: WatchedContent['kind'], what: string): WatchedContent => {
    const name = byId.get(id)
    const title = name === undefined ? `A column of ${uid} ${what}` : `The column ${name} of ${uid} ${what}`
    return { ...aboutAsset(id, at), isOwn: true, kind, title, text: `${title}.` }
  }
  return [
    {
      ...aboutAsset(assetId, at),
      kind: 'SCHEMA_CHANGED',
      title: `The columns of ${uid} changed`,
      text: differences(change),
    },
    ...returned.map(({ id }) => column(id, 'ASSET_RETURNED', 'returned')),
    ...changed.map(({ id }) => column(id, 'SCHEMA_CHANGED', 'changed its type')),
    ...removed.map((id) => column(id, 'ASSET_DELETED', 'was removed')),
  ]
}
