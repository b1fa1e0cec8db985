import type { SchemaChange } from '@assay/contracts'
import { parseType } from '@assay/data-engine'
import { movedNames } from './order.ts'
import { renamesOf } from './renames.ts'
import type { SchemaColumn } from './schema.ts'
import { typeChange } from './widening.ts'

/** A change without a severity. The policy decides the severity. */
export type FoundChange = Omit<SchemaChange, 'severity'>

/**
 * The changes from one schema to another: first the removed columns, then the columns of the new schema in its order.
 * Equal schemas have no changes. Pure.
 */
export function changesBetween(before: readonly SchemaColumn[], after: readonly SchemaColumn[]): FoundChange[] {
  const renames = renamesOf(before, after)
  const renamedTo = new Map(renames.map((one) => [one.to, one]))
  const newNames = new Map(renames.map(({ from, to }) => [from, to]))
  const now = new Set(after.map(({ name }) => name))
  const old = new Map(before.map((column) => [newNames.get(column.name) ?? column.name, column]))
  const places = new Map(before.map(({ name }, index) => [name, index]))
  const surviving = [...old.keys()].filter((name) => now.has(name))
  const moved = new Set(
    movedNames(
      surviving,
      after.flatMap(({ name }) => (old.has(name) ? [name] : [])),
    ),
  )
  const removed = [...old].flatMap(([name, { dataType }]): FoundChange[] =>
    now.has(name) ? [] : [{ kind: 'REMOVED', name, from: dataType, to: null, evidence: null }],
  )
  return [
    ...removed,
    ...after.flatMap((column, place): FoundChange[] => {
      const { name, dataType } = column
      const was = old.get(name)
      if (was === undefined) return [{ kind: 'ADDED', name, from: null, to: dataType, evidence: null }]
      const rename = renamedTo.get(name)
      const wasPlace = places.get(was.name) ?? 0
      return [
        ...(rename ? [{ kind: 'RENAMED' as const, name, from: was.name, to: name, evidence: rename.evidence }] : []),
        ...columnChanges(was, column),
        ...(moved.has(name)
          ? [{ kind: 'ORDER' as const, name, from: String(wasPlace + 1), to: String(place + 1), evidence: null }]
          : []),
      ]
    }),
  ]
}

const nullText = (nullable: boolean) => (nullable ? 'NULL' : 'NOT NULL')

/** Changes of a column's type and nullability. */
function columnChanges(before: SchemaColumn, { name, dataType, nullable }: SchemaColumn): FoundChange[] {
  const kind = dataType === before.dataType ? null : typeChange(parseType(before.dataType), parseType(dataType))
  const isOtherNull = before.nullable !== null && nullable !== null && before.nullable !== nullable
  return [
    ...(kind === null ? [] : [{ kind, name, from: before.dataType, to: dataType, evidence: null }]),
    ...(isOtherNull
      ? [
          {
            kind: 'NULLABILITY' as const,
            name,
            from: nullText(!nullable),
            to: nullText(nullable),
            evidence: null,
          },
        ]
      : []),
  ]
}
