import type { ComparedPair } from '../../compare.ts'
import { type ComparedAs, comparedAs } from '../../planner/compared-as.ts'
import type { Column } from '../../sql/predicate/column.ts'
import { textLiteral } from '../../sql/quote.ts'
import { duckdbDialect } from '../dialect.ts'

export type SideName = 'left' | 'right'

/** A pair of columns, with SQL over one row of each side. Values are equal if their `compared` are. */
export interface Pair {
  isKey: boolean
  as: ComparedAs
  /** How values of paired rows agree, if not by equality. */
  rules: Pick<ComparedPair, 'tolerance' | 'operation' | 'ignoreNulls' | 'isWarning'>
  left: PairedColumn
  right: PairedColumn
}

interface PairedColumn {
  column: Column
  compared: string
}

/** A pair as SQL. Pure. */
export function pairOf(plan: ComparedPair, left: Column, right: Column): Pair {
  const as = comparedAs(left.type, right.type)
  /** The part of a text that is compared. */
  const comparedText = (text: string): string => {
    const trimmed = plan.trim ? `trim(${text}, ' ')` : text
    return plan.ignoreCase ? `lower(${trimmed})` : trimmed
  }
  const comparedOf = (column: Column, side: SideName): string => {
    const { text } = column
    if (as.kind === 'digits') return duckdbDialect.numberKey(`CAST(${column.sql} AS VARCHAR)`)
    if (as.kind === 'text') return comparedText(text)
    if (as.kind === 'never') return `${textLiteral(`${side}:`)} || ${text}`
    const { type }: Extract<ComparedAs, { kind: 'type' }> = as
    const isOfType = JSON.stringify(column.type) === JSON.stringify(type)
    const given = isOfType ? column.sql : `CAST(${column.sql} AS ${duckdbDialect.typeName(type)})`
    const { leftOffsetSeconds: offset = 0 } = plan
    const isMoved = side === 'left' && offset !== 0 && type.kind === 'timestamp' && column.type.kind !== 'date'
    const value = isMoved ? `(${given} + to_seconds(${offset}))` : given
    if (type.kind === 'timestamp' && plan.timeUnit !== undefined) return `date_trunc('${plan.timeUnit}', ${value})`
    return type.kind === 'text' ? comparedText(value) : value
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

/** The pair that is the whole key and whose integers can have a bitmap; undefined if there is none. */
export function wholeKeyOf(pairs: readonly Pair[]): Pair | undefined {
  const [key, more] = pairs.filter(({ isKey }) => isKey)
  const type = more === undefined && key?.as.kind === 'type' ? key.as.type : undefined
  return type?.kind === 'integer' && type.signed && type.bits <= 64 ? key : undefined
}
