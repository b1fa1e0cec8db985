import type { ComparedPair } from '../../compare.ts'
import type { SideName } from '../../compared-source.ts'
import { type ComparedAs, comparedAs } from '../../planner/compared-as.ts'
import type { Column } from '../../sql/predicate/column.ts'
import { textLiteral } from '../../sql/quote.ts'
import { isNumeric } from '../../types/logical-type.ts'
import { duckdbDialect } from '../dialect.ts'

/** A pair of columns, with SQL over one row of each side. Two values are equal if their `compared` forms are equal. */
export interface Pair {
  isKey: boolean
  as: ComparedAs
  /** The relation in which values of paired rows agree, if it is not equality. */
  rules: Pick<ComparedPair, 'tolerance' | 'operation' | 'ignoreNulls' | 'isWarning'>
  left: PairedColumn
  right: PairedColumn
}

interface PairedColumn {
  column: Column
  compared: string
}

/** A text that is compared by code points, whatever the collation of its column. */
export const byCodePoints = (text: string) => `(${text} COLLATE "binary")`

/** Whether numbers are stored as text, because no numeric type can hold them. */
const isText = ({ dataType }: Column) => dataType === 'VARCHAR'

/** A pair as SQL. Pure. */
export function pairOf(plan: ComparedPair, left: Column, right: Column): Pair {
  const isWide = isNumeric(left.type) && isNumeric(right.type) && (isText(left) || isText(right))
  const as: ComparedAs = isWide ? { kind: 'digits' } : comparedAs(left.type, right.type)
  /** The text in the form that is compared. */
  const comparedText = (text: string): string => {
    const trimmed = plan.trim ? `trim(${text}, ' ')` : text
    return byCodePoints(plan.ignoreCase ? `lower(${trimmed})` : trimmed)
  }
  const comparedOf = (column: Column, side: SideName): string => {
    const { text } = column
    if (as.kind === 'digits') return duckdbDialect.numberKey(`CAST(${column.sql} AS VARCHAR)`)
    if (as.kind === 'text') return comparedText(text)
    if (as.kind === 'never') return byCodePoints(`${textLiteral(`${side}:`)} || ${text}`)
    const { type }: Extract<ComparedAs, { kind: 'type' }> = as
    if (type.kind === 'text') return comparedText(text)
    const isOfType = JSON.stringify(column.type) === JSON.stringify(type)
    const given = isOfType ? column.sql : `CAST(${column.sql} AS ${duckdbDialect.typeName(type)})`
    const { leftOffsetSeconds: offset = 0 } = plan
    const isMoved = side === 'left' && offset !== 0 && type.kind === 'timestamp' && column.type.kind !== 'date'
    const value = isMoved ? `(${given} + to_seconds(${offset}))` : given
    if (type.kind === 'timestamp' && plan.timeUnit !== undefined) return `date_trunc('${plan.timeUnit}', ${value})`
    return value
  }
  return {
    isKey: plan.isKey,
    as,
    rules: plan.isKey ? {} : plan,
    left: { column: left, compared: comparedOf(left, 'left') },
    right: { column: right, compared: comparedOf(right, 'right') },
  }
}

/** Indexes of the pairs that form the key; all pairs if there is no key. */
export function keysOf(pairs: readonly Pair[]): number[] {
  const keys = pairs.flatMap(({ isKey }, index) => (isKey ? [index] : []))
  return keys.length > 0 ? keys : pairs.map((_, index) => index)
}

/** The pair that is the whole key, if its integers can have a bitmap; otherwise undefined. */
export function wholeKeyOf(pairs: readonly Pair[]): Pair | undefined {
  const [key, more] = pairs.filter(({ isKey }) => isKey)
  const type = more === undefined && key?.as.kind === 'type' ? key.as.type : undefined
  return type?.kind === 'integer' && type.signed && type.bits <= 64 ? key : undefined
}
