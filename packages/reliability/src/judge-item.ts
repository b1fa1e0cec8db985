import type { ItemRecord } from '@assay/contracts'
import type { MetricResult } from '@assay/data-engine'
import { ImpossibleDefinition } from './definition.ts'
import { allOrNothing, byPercentage, type ItemOutcome, type RangedOutcome } from './item-outcome.ts'
import type { TagResult } from './measurements/measurement.ts'
import { measurements } from './measurements/table.ts'
import { passingPercentage } from './percentage.ts'
import type { Figure } from './series/item-figures.ts'
import type { History } from './series/look-back.ts'

export interface JudgeItem {
  item: ItemRecord
  result: MetricResult | TagResult
  /** ISO 8601: the reference time for ages. */
  runStartedAt: string
  treatZeroRowsAsSuccess: boolean
  /** The item's values in earlier runs. Omitted if there are none. */
  history?: (figure: Figure) => History
}

/**
 * The verdict on one item. For row items, compares 100 x (scanned - failed) / scanned with the item's threshold.
 * Measured values with a `value.operator` get 100 or 0, which is compared with the threshold; without an operator, the
 * threshold judges the number itself. For SQL_METRIC, the item's own threshold takes precedence over the operator. An
 * item with `isWarning` is WARNING at worst.
 */
export function judgeItem(input: JudgeItem): RangedOutcome {
  const outcome = evaluated(input)
  return input.item.isWarning && outcome.verdict === 'ERRORED' ? { ...outcome, verdict: 'WARNING' } : outcome
}

/** An impossible definition fails its item, not the run. It may have been stored before the rule existed. */
function evaluated(input: JudgeItem): RangedOutcome {
  try {
    return evaluate(input)
  } catch (error) {
    if (error instanceof ImpossibleDefinition)
      return { ...nothing, error: `${error.problem.path}: ${error.problem.message}` }
    throw error
  }
}

const nothing: ItemOutcome = {
  verdict: 'ERRORED',
  resultPercentage: null,
  rowsScanned: null,
  rowsFailed: null,
  value: null,
  error: null,
}

function evaluate({ item, result, runStartedAt, treatZeroRowsAsSuccess, history }: JudgeItem): RangedOutcome {
  const before = { history: history ?? (() => ({ now: Date.parse(runStartedAt), days: [] })), runStartedAt }
  switch (result.kind) {
    case 'tag':
      return byPercentage({ item, base: nothing, before }, allOrNothing(result.carried))
    case 'error':
      return { ...nothing, error: result.message }
    case 'rows': {
      const base = { ...nothing, rowsScanned: result.scanned, rowsFailed: result.failed }
      if (result.scanned === 0) return zeroRows(base, treatZeroRowsAsSuccess, 'no rows')
      return byPercentage({ item, base, before }, passingPercentage(result.scanned, result.failed))
    }
    case 'value': {
      const { value: text, scanned, isText = false } = result
      const base = { ...nothing, rowsScanned: scanned, value: text }
      if (text !== null) return measurements[item.measurementType].judge({ item, base, before, text, isText })
      return scanned === 0 ? zeroRows(base, treatZeroRowsAsSuccess, 'no value') : { ...base, error: 'no value' }
    }
    default:
      return result satisfies never
  }
}

function zeroRows(base: ItemOutcome, isSuccess: boolean, error: string): ItemOutcome {
  return isSuccess ? { ...base, verdict: 'SUCCESSFUL', resultPercentage: 100 } : { ...base, error }
}
