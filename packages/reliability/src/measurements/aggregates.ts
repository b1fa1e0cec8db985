import { type Comparison, type ItemRecord, itemKinds } from '@assay/contracts'
import type { AggregateFunction, Metric } from '@assay/data-engine'
import { boundFor, readBound } from '../bounds.ts'
import { kindOfType } from '../column-types.ts'
import { type ReadOperand, readCondition, readNumber } from '../comparison.ts'
import { ImpossibleDefinition, type PlannedColumn } from '../definition.ts'
import type { Found, RangedOutcome } from '../item-outcome.ts'
import { judgeByCondition } from './by-condition.ts'
import { type ItemToPlan, measurement, type ReadItem, sqlText } from './measurement.ts'
import { type Reads, readsColumn } from './reads.ts'

/** The aggregate of the expression or, without one, of the item's column. COUNT without both counts rows. */
export function aggregateMetric({ item, value, column, frame }: ItemToPlan<Comparison>, expression?: string): Metric {
  const fn = functionOf(item)
  const isOfRows = fn === 'COUNT' && item.columnName === null
  const measured = expression !== undefined || isOfRows ? undefined : column()
  const condition = readCondition(value(), isOfAnyKind(item) ? measured && operandsFor(measured) : readNumber)
  if (condition === undefined && isOfAnyKind(item) && measured && kindOfType(measured.dataType) === 'text')
    throw new ImpossibleDefinition(
      'thresholdConfig',
      `judges numbers, and the column '${measured.name}' holds text (${measured.dataType}): write value.operator`,
    )
  return expression === undefined
    ? { kind: 'aggregate', ...frame, fn, column: measured?.name ?? null }
    : { kind: 'aggregate-expression', ...frame, fn, expression: sqlText(expression) }
}

/** Reads operands for MIN and MAX of a column. Text columns are ordered as text, so a number is refused as operand. */
function operandsFor(column: PlannedColumn): ReadOperand {
  const { name, dataType } = column
  return (operand, path) => {
    if (kindOfType(dataType) === 'text' && readBound(operand).kind === 'number')
      throw new ImpossibleDefinition(
        path,
        `the column '${name}' holds text (${dataType}) and cannot be compared with the number ${operand}`,
      )
    return boundFor(operand, column, path)
  }
}

/** COUNT reveals no values. */
export const readsAggregated = (item: ReadItem): Partial<Reads> =>
  item.aggregateType === 'COUNT' ? {} : readsColumn(item)

export const judgeAggregate = (found: Found, value: () => Comparison): RangedOutcome => judgeByCondition(found, value())

/** MIN and MAX give values of the column's type, other aggregates numbers. */
const isOfAnyKind = ({ aggregateType }: ItemRecord) => aggregateType === 'MIN' || aggregateType === 'MAX'

function functionOf({ aggregateType }: ItemRecord): AggregateFunction {
  if (aggregateType !== 'RULE' && aggregateType !== 'CUSTOM') return aggregateType
  throw new ImpossibleDefinition('aggregateType', 'must be one of SUM, AVG, MIN, MAX, COUNT')
}

export const aggregates = measurement(itemKinds.AGGREGATES, {
  reads: readsAggregated,
  plan: (input) => aggregateMetric(input),
  judge: judgeAggregate,
})
