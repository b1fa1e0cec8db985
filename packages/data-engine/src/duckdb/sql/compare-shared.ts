import type { SideName } from '../../compared-source.ts'
import type { ComparedForm } from '../../sql/compared-form.ts'
import type { Column } from '../../sql/predicate/column.ts'
import { isNumeric } from '../../types/logical-type.ts'
import type { Pair } from './compare-pairs.ts'

/** Hashes of rows that are the same in all databases. */
export const duckdbShared: Omit<ComparedForm, 'text' | 'exported' | 'isWide'> = {
  concat: (parts) => `(${parts.join(' || ')})`,
  length: (text) => `CAST(length(${text}) AS VARCHAR)`,
  hash: (text) => `CAST('0x' || left(md5(${text}), 15) AS BIGINT)`,
  bucket: (text, bits) => `(CAST('0x' || right(md5(${text}), 7) AS INTEGER) & ${2 ** bits - 1})`,
}

function numberText({ sql: value, type, dataType }: Column): string {
  const text = `CAST(${value} AS VARCHAR)`
  // Stored as text, because no numeric type holds it.
  if (dataType === 'VARCHAR')
    return `CASE WHEN contains(${text}, '.') THEN rtrim(rtrim(${text}, '0'), '.') ELSE ${text} END`
  if (type.kind === 'integer' || (type.kind === 'decimal' && type.scale === 0)) return text
  if (type.kind === 'decimal') return `rtrim(rtrim(${text}, '0'), '.')`
  return `CASE WHEN ${value} = 0 THEN '0' WHEN suffix(${text}, '.0') THEN left(${text}, length(${text}) - 2) ELSE ${text} END`
}

/** A value as the text that is hashed. */
export function sharedText(pair: Pair, side: SideName): string {
  const { as } = pair
  const { column, compared } = pair[side]
  if (isNumeric(column.type) && (as.kind === 'type' || as.kind === 'digits')) return numberText(column)
  if (as.kind === 'type' && as.type.kind === 'binary') return `lower(hex(${compared}))`
  return `CAST(${compared} AS VARCHAR)`
}
