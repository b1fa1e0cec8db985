import type { ComparisonFigures } from '@assay/contracts'
import { ruleExecutionResultOf } from '../reading/execution-result.ts'
import { itemRecordsOf } from '../reading/item-records.ts'
import { worstFirst } from '../reading/worst-first.ts'
import type { KnownExecution } from '../versions/versions.ts'

/**
 * Counts of a run with a verdict, for texts that people read. `rows`, `failedRows`: null if they are not determined. A
 * comparison counts rows of both tables, and rows that pair once.
 */
export interface RunSummary {
  items: number
  /** Items with a warning, with an error, or that could not be evaluated. */
  failedItems: number
  rows: number | null
  failedRows: number | null
  /** The failed item with the lowest percentage. `percent`: null if it could not be evaluated. */
  worst: { name: string; percent: number | null } | null
}

/** The summary of a run whose verdict everybody may see; `undefined` without a verdict. Pure. */
export function runSummaryOf(state: KnownExecution): RunSummary | undefined {
  if (state.status !== 'succeeded') return undefined
  const { outcomes } = state.result
  const { rows: scanned, failedRows, comparison } = ruleExecutionResultOf(state)
  const failed = worstFirst(outcomes).filter(({ verdict }) => verdict !== 'SUCCESSFUL')
  const [worst] = failed
  const named = itemRecordsOf(state).results.find(({ ruleItemId }) => ruleItemId === worst?.itemId)
  return {
    items: outcomes.length,
    failedItems: failed.length,
    rows: comparison ? allRows(comparison) : scanned,
    failedRows,
    worst: worst && named ? { name: named.name, percent: worst.resultPercentage } : null,
  }
}

const allRows = ({ equal, changed, onlyLeft, onlyRight }: ComparisonFigures): number =>
  equal + changed + onlyLeft + onlyRight
