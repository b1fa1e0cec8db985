import { AssayError } from '@assay/service-kit/errors'
import type { Predicate } from '../../plan.ts'
import { type Fragment, raw, sql } from '../fragment.ts'
import type { Column } from './column.ts'
import { notOfType } from './datatype.ts'
import { outsideList } from './in-list.ts'
import { beyondPrecision } from './precision-scale.ts'
import { outsideRange } from './range.ts'

/** A predicate on one column. */
export type ColumnPredicate = Exclude<Predicate, { kind: 'duplicate' | 'expression' | 'in-lookup' }>

function requireLength(value: number | undefined): number | undefined {
  if (value === undefined || Number.isFinite(value)) return value
  throw new AssayError('invalid', 'A text length has to be a number.')
}

/** Lengths are in Unicode code points of the value's text. */
function outsideLength(column: Column, min: number | undefined, max: number | undefined): string {
  const length = column.dialect.characters(column.text)
  const [least, most] = [requireLength(min), requireLength(max)]
  if (least === undefined) return most === undefined ? 'false' : `(${length} > ${most})`
  // One expression, so that the length is computed once.
  return most === undefined ? `(${length} < ${least})` : `(${length} NOT BETWEEN ${least} AND ${most})`
}

function missing(column: Column, blankToo: boolean): string {
  if (!blankToo || column.type.kind !== 'text') return `${column.presence} IS NULL`
  return `(${column.presence} IS NULL OR ${column.dialect.isBlank(column.text)})`
}

/** A user's condition fails if it is false or NULL. The engine must check first that it is boolean. */
export function notTrue(condition: Fragment): Fragment {
  return sql`NOT coalesce(${condition}, false)`
}

/**
 * SQL that is true for the rows that fail, and false or NULL for other rows. So a NULL in the column passes, unless the
 * predicate is about NULL. Throws `invalid` if the predicate does not fit the column.
 */
export function failsSql(predicate: ColumnPredicate, column: (name: string) => Column): Fragment {
  switch (predicate.kind) {
    case 'missing':
      return raw(missing(column(predicate.column), predicate.blankToo))
    case 'regex': {
      const { text, dialect } = column(predicate.column)
      return raw(`NOT ${dialect.matches(text, predicate.pattern, !predicate.partial)}`)
    }
    case 'in-list':
      return raw(outsideList(column(predicate.column), predicate.values, predicate.negate))
    case 'datatype':
      return raw(notOfType(column(predicate.column), predicate.dataType))
    case 'range':
      return raw(outsideRange(column(predicate.column), predicate))
    case 'text-length':
      return raw(outsideLength(column(predicate.column), predicate.min, predicate.max))
    case 'precision-scale':
      return raw(beyondPrecision(column(predicate.column), predicate.precision, predicate.scale))
    default:
      return predicate satisfies never
  }
}
