import { AssayError } from '@assay/service-kit/errors'
import type { SourceSide } from './compared-source.ts'
import type { DatasetLocator } from './dataset.ts'
import type { ListedValues } from './plan.ts'
import { alike } from './sql/predicate/column.ts'
import { formatType } from './types/format-type.ts'

/** The column whose different values another engine needs. */
export interface ValuesPlan {
  dataset: DatasetLocator
  column: string
}

/** The maximum of what crosses from one source to another for a lookup: different values, and characters in all. */
export const listedLimits = { values: 100_000, characters: 2_000_000 }

/** Collects texts within the limits. */
export function createValueList(limits = listedLimits) {
  const values: string[] = []
  let characters = 0
  return {
    values,
    /** Throws `too-large` with the limit. */
    add(value: string): void {
      values.push(value)
      characters += value.length
      if (values.length <= limits.values && characters <= limits.characters) return
      const what =
        values.length > limits.values
          ? `${limits.values} different values`
          : `${limits.characters} characters of values`
      const sentence = `The lookup is in another source and has more than ${what}. Copy it to the source of the table, or compare the tables with a reconciliation policy.`
      throw new AssayError('too-large', sentence)
    },
  }
}

/** The different values of a column of a table that is open at its source. Errors: `too-large`, `invalid`. */
export async function listedAtSource(
  { columns, read }: Pick<SourceSide, 'columns' | 'read'>,
  name: string,
): Promise<ListedValues> {
  const column = alike(columns, name)
  if (column === undefined) throw new AssayError('invalid', `The column "${name}" is not in the data.`)
  const list = createValueList()
  const asked = { name: column.name, as: { kind: 'text' as const }, isKey: false }
  for await (const part of read({ side: 'left', kind: 'values', columns: [asked], bits: 0, within: null }))
    for (const [value] of part) if (value != null) list.add(value)
  return { dataType: formatType(column.type), values: list.values }
}
