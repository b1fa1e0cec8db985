import type { Metric } from '@assay/data-engine'
import { ImpossibleDefinition, knownColumn } from '../definition.ts'
import type { RunGiven, RunRequest } from '../kinds/judging.ts'
import { boundVariables } from '../references.ts'
import type { ArrivalPolicy } from './definition.ts'
import { freshnessItems } from './freshness-items.ts'

/** Requests what the source says about changes, and the newest value of each time column in one scan. Pure. */
export function freshnessRequests(policy: ArrivalPolicy, run: RunGiven): RunRequest[] {
  const [{ columns, references }] = run.sides
  const metrics: Metric[] = []
  const problems = new Map<number, string>()
  for (const { id, columnName } of freshnessItems(policy, run.itemSelection)) {
    if (columnName === null) continue
    try {
      metrics.push({ id, kind: 'newest', column: knownColumn(columns, columnName, 'columnName').name })
    } catch (error) {
      if (!(error instanceof ImpossibleDefinition)) throw error
      problems.set(id, `${error.problem.path}: ${error.problem.message}`)
    }
  }
  const lastChange: RunRequest = { kind: 'LAST_CHANGE', side: 'ONE' }
  if (metrics.length + problems.size === 0) return [lastChange]
  const sql = policy.filter?.trim() ?? ''
  const filter = sql === '' ? {} : { filter: { sql, variables: boundVariables(references.variables) } }
  return [lastChange, { kind: 'MEASURE', side: 'ONE', metrics, known: [], problems, ...filter }]
}
