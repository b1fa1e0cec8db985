import { type ItemRecord, pathText } from '@assay/contracts'
import type { Metric, Predicate, SqlText } from '@assay/data-engine'
import type { z } from 'zod'
import { ImpossibleDefinition, type PlannedColumn, requiredColumn, writtenText } from '../definition.ts'
import { byNumber, type Found, type RangedOutcome } from '../item-outcome.ts'
import type { References } from '../references.ts'
import type { Needs, Reads } from './reads.ts'

/** The result of an item that needs no data. */
export interface TagResult {
  id: number
  kind: 'tag'
  carried: boolean
}

/** An item to plan. Its accessors throw if the requested part is missing or wrong. */
export interface ItemToPlan<Value> {
  item: ItemRecord
  columns: readonly PlannedColumn[]
  references: References
  /** The fields that all metrics over rows have: the item's id and filter. */
  frame: { id: number; filter?: SqlText }
  value(): Value
  /** The column of the item. Throws if there is none. */
  column(): PlannedColumn
}

/** The definition of one kind of item. */
interface MeasurementDefinition<Value> {
  plan(input: ItemToPlan<Value>): Metric | TagResult
  /** The data that its outcome depends on, except for its filter. */
  reads(item: ReadItem, value: () => Value): Partial<Reads>
  /** The item's references, except for columns of its own table. Omitted if there are none. */
  needs?(value: Value): Partial<Needs>
  /** Checks the form of an item without resolving its references. */
  checkForm?(input: ItemToPlan<Value>): void
  /** The verdict on one value. If omitted, the threshold judges the number. */
  judge?(found: Found, value: () => Value): RangedOutcome
}

/** One kind of item, independent of the type of its `value`. */
export interface Measurement {
  /** Returns `undefined` if the item's form is valid but the references that it needs are missing. */
  plan(item: ItemRecord, columns: readonly PlannedColumn[], references?: References): Metric | TagResult | undefined
  judge(found: Found): RangedOutcome
  reads(item: ReadItem): Reads
  needs(item: Pick<ItemRecord, 'value'>): Partial<Needs>
}

/** The fields of an item that determine what it reads. */
export type ReadItem = Pick<ItemRecord, 'columnName' | 'filter' | 'ruleExpression' | 'value' | 'aggregateType'>

const nothingElse: References = {
  variables: {},
  udf: () => undefined,
  lookup: () => undefined,
  tables: () => [],
  views: () => [],
  carriesTag: () => undefined,
}

export const sqlText = (text: string): SqlText => ({ sql: text, variables: {} })

/** `undefined` if the definition of an item is invalid. */
function orImpossible<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof ImpossibleDefinition) return undefined
    throw error
  }
}

/** A kind of item, from the schema of its `value` and its definition. */
export function measurement<Value>(
  kind: { value: z.ZodType<Value> },
  definition: MeasurementDefinition<Value>,
): Measurement {
  /** The parsed `value`. Throws the first problem in it. */
  const read = ({ value }: Pick<ItemRecord, 'value'>): Value => {
    const parsed = kind.value.safeParse(value ?? {})
    if (parsed.success) return parsed.data
    const [issue] = parsed.error.issues
    throw new ImpossibleDefinition(pathText(['value', ...(issue?.path ?? [])]), issue?.message ?? 'cannot be read')
  }
  return {
    plan(item, columns, references) {
      const filter = writtenText(item.filter)
      const input: ItemToPlan<Value> = {
        item,
        columns,
        references: references ?? nothingElse,
        frame: { id: item.id, ...(filter === undefined ? {} : { filter: sqlText(filter) }) },
        value: () => read(item),
        column: () => requiredColumn(columns, item.columnName),
      }
      if (references !== undefined || definition.checkForm === undefined) return definition.plan(input)
      definition.checkForm(input)
      return undefined
    },
    judge: (found) => definition.judge?.(found, () => read(found.item)) ?? byNumber(found),
    reads(item) {
      const own = orImpossible(() => definition.reads(item, () => read(item))) ?? { isUnknown: true }
      const sql = own.sql === true || writtenText(item.filter) !== undefined
      return { columns: [], lookups: [], ...own, sql }
    },
    needs: (item) => orImpossible(() => definition.needs?.(read(item))) ?? {},
  }
}

/** A kind of item that counts the rows that fail a predicate. */
export function rowMeasurement<Value>(
  kind: { value: z.ZodType<Value> },
  predicate: (input: ItemToPlan<Value>) => Predicate,
  more: Omit<MeasurementDefinition<Value>, 'plan' | 'judge'>,
): Measurement {
  const plan = (input: ItemToPlan<Value>): Metric => ({ kind: 'rows', ...input.frame, predicate: predicate(input) })
  return measurement(kind, { plan, ...more })
}
