import type { Comparison, ComparisonOperator } from '@assay/contracts'
import type { Bound } from '@assay/data-engine'
import { compareText, impossibleOrder, isAbove, type Operand, readBound } from './bounds.ts'
import { ImpossibleDefinition } from './definition.ts'
import { parseMeasured } from './exact.ts'

/** The condition that a measured value must meet. */
export type Condition =
  | { operator: Exclude<ComparisonOperator, 'BETWEEN'>; bound: Bound }
  | { operator: 'BETWEEN'; min: Bound; max: Bound }

export type ReadOperand = (operand: Operand, path: string) => Bound

const byItsForm: ReadOperand = (operand) => readBound(operand)

/** Reads `value {operator, value | min, max}`; `undefined` if there is no operator. Throws for impossible operands. */
export function readCondition(comparison: Comparison, read: ReadOperand = byItsForm): Condition | undefined {
  const { operator, value, min, max } = comparison
  if (operator === undefined) return undefined
  if (operator !== 'BETWEEN') {
    if (value === undefined) throw new ImpossibleDefinition('value.value', `is needed with operator ${operator}`)
    return { operator, bound: read(value, 'value.value') }
  }
  if (min === undefined) throw new ImpossibleDefinition('value.min', 'is needed with operator BETWEEN')
  if (max === undefined) throw new ImpossibleDefinition('value.max', 'is needed with operator BETWEEN')
  const condition = { operator, min: read(min, 'value.min'), max: read(max, 'value.max') }
  if (isAbove(condition.min, condition.max)) throw impossibleOrder(min, max)
  return condition
}

/** The bounds of a condition. */
export function boundsOf(condition: Condition): readonly [Bound, ...Bound[]] {
  return condition.operator === 'BETWEEN' ? [condition.min, condition.max] : [condition.bound]
}

/** For measurements that always give a number: sums, means, counts, SQL metrics. */
export const readNumber: ReadOperand = (operand, path) => {
  const bound = readBound(operand)
  if (bound.kind === 'number') return bound
  throw new ImpossibleDefinition(path, `'${operand}' is not a number, but this measurement gives a number`)
}

/**
 * Whether a measured text meets the condition. NaN meets only NEQ. `undefined` if the two cannot be compared, such as
 * text with a number.
 */
export function meets(text: string, condition: Condition): boolean | undefined {
  if (condition.operator === 'BETWEEN') {
    const [low, high] = [compareText(text, condition.min), compareText(text, condition.max)]
    if (low === undefined || high === undefined) return isNotANumber(text) ? false : undefined
    return low >= 0 && high <= 0
  }
  const order = compareText(text, condition.bound)
  if (order === undefined) return isNotANumber(text) ? condition.operator === 'NEQ' : undefined
  return holds(order, condition.operator)
}

/** Whether `order` (the result of a comparison: negative, zero or positive) satisfies the operator. */
export function holds(order: number, operator: Exclude<ComparisonOperator, 'BETWEEN'>): boolean {
  switch (operator) {
    case 'EQ':
      return order === 0
    case 'NEQ':
      return order !== 0
    case 'GT':
      return order > 0
    case 'GTE':
      return order >= 0
    case 'LT':
      return order < 0
    case 'LTE':
      return order <= 0
    default:
      return operator satisfies never
  }
}

const isNotANumber = (text: string) => parseMeasured(text) === 'NaN'
