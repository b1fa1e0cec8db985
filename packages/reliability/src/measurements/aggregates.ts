import { type Comparison, type ItemRecord, itemKinds } from '@assay/contracts'
import type { AggregateFunction, Metric } from '@assay/data-engine'
import { boundFor } from '../bounds.ts'
import { readCondition, readNumber } from '../comparison.ts'
import { ImpossibleDefinition } from '../definition.ts'
import type { Found, ItemOutcome } from '../item-outcome.ts'
import { judgeByCondition } from './by-condition.ts'
import { type Asked, measurement, type ReadItem, sqlText } from './measurement.ts'
import { type Reads, readsColumn } from './reads.ts'

/** The aggregate of the expression, else of the item's column; COUNT of neither counts rows. */
export function aggregateMetric({ item, value, column, frame }: Asked<Comparison>, expression?: string): Metric {
  const fn = functionOf(item)
  const isOfRows = fn === 'COUNT' && item.columnName === null
  const measured = expression !== undefined || isOfRows ? undefined : column()
  const ofMeasured = measured && ((operand: string | number, path: string) => boundFor(operand, measured, path))
  readCondition(value(), isOfAnyKind(item) ? ofMeasured : readNumber)
  return expression === undefined
    ? { kind: 'aggregate', ...frame, fn, column: measured?.name ?? null }
    : { kind: 'aggregate-expression', ...frame, fn, expression: sqlText(expression) }
}

export function judgeAggregate(found: Found, value: () => Comparison): ItemOutcome {
  return judgeByCondition(found, value(), isOfAnyKind(found.item))
}

/** How many values there are tells none of them. */
export const readsAggregated = (item: ReadItem): Partial<Reads> =>
  item.aggregateType === 'COUNT' ? {} : readsColumn(item)

/** MIN and MAX give what the column holds, the others numbers. */
const isOfAnyKind = ({ aggregateType }: ItemRecord) => aggregateType === 'MIN' || aggregateType === 'MAX'

function functionOf({ aggregateType }: ItemRecord): AggregateFunction {
  if (aggregateType !== 'RULE' && aggregateType !== 'CUSTOM') return aggregateType
  throw new ImpossibleDefinition('aggregateType', 'must be one of SUM, AVG, MIN, MAX, COUNT')
}

export const aggregates = measurement(itemKinds.AGGREGATES, {
  reads: readsAggregated,
  plan: (asked) => aggregateMetric(asked),
  judge: judgeAggregate,
})
