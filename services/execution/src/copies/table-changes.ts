import type { TableMessage } from '@assay/contracts'
import type { StartCause } from '@assay/reliability'

const schemaOf = ({ columns }: TableMessage) =>
  columns.map(({ name, dataType, nullable }) => [name, dataType, nullable])

/** Whether a later message of a table has changed its schema or its data. A deletion changes neither. */
export function tableChanges(before: TableMessage, after: TableMessage): ReadonlySet<StartCause> {
  if (after.isDeleted || after.revision <= before.revision) return new Set()
  const isOther = (of: (table: TableMessage) => unknown) => JSON.stringify(of(before)) !== JSON.stringify(of(after))
  return new Set([
    ...(isOther(schemaOf) ? (['SCHEMA'] as const) : []),
    ...(isOther(({ data }) => data) ? (['DATA'] as const) : []),
  ])
}
