import type { ExecutionResult, PolicyType } from '@assay/contracts'
import type { Execution } from '../execution/execution.ts'
import { executionStatusOf, resultStatusOf } from '../execution/statuses.ts'
import { ruleItemResultsOf } from './item-records.ts'
import { ruleExecutionOf } from './rule-execution.ts'

/** The whole shape at any time of a run. `now`: epoch milliseconds, for the time that a run has taken so far. */
export function executionResultOf(state: Execution, now: number): ExecutionResult {
  return {
    execution: ruleExecutionOf(state),
    items: ruleItemResultsOf(state),
    meta: metaOf(state, now),
    result: ruleExecutionResultOf(state),
    childExecutions: null,
  }
}

/** Figures of a run; null where nothing was counted yet, or where they do not follow from the measurements. */
export function ruleExecutionResultOf(state: Execution): ExecutionResult['result'] {
  const result = state.status === 'succeeded' ? state.result : undefined
  const withVerdict = (verdict: string) => result?.outcomes.filter((outcome) => outcome.verdict === verdict) ?? []
  const rowCounts = result?.outcomes.map(({ rowsFailed }) => rowsFailed) ?? []
  return {
    ruleExecutionType: executionTypeName(state.run.policy.rule.type),
    status: resultStatusOf(state),
    description: descriptionOf(state),
    successCount: result ? withVerdict('SUCCESSFUL').length : null,
    failureCount: result ? withVerdict('ERRORED').length : null,
    rows: result?.rowsScanned ?? null,
    failedRows: result ? (result.files.bad?.rows ?? unionCount(rowCounts)) : null,
    warningRows: result ? unionCount(withVerdict('WARNING').map(({ rowsFailed }) => rowsFailed)) : null,
    qualityScore: result?.qualityScore ?? null,
    rca: [],
    executionStatus: executionStatusOf(state),
    leftRowsScanned: result?.rowsScanned ?? null,
    rightRowsScanned: null,
  }
}

/** Members of the union of sets of rows of which only the sizes are known; null where the sizes do not tell. */
export function unionCount(sizes: readonly (number | null)[]): number | null {
  const present = sizes.filter((size) => size !== null && size > 0)
  return present.length > 1 ? null : (present[0] ?? 0)
}

function metaOf(state: Execution, now: number): Record<string, unknown> {
  const end = 'finishedAt' in state ? Date.parse(state.finishedAt) : now
  const elapsedMs = Math.max(0, end - Date.parse(state.run.startedAt))
  switch (state.status) {
    case 'waiting':
      return { elapsedMs, progress: { stage: 'QUEUED', fraction: null } }
    case 'running':
      return { elapsedMs, progress: state.progress ?? { stage: 'READING', fraction: null } }
    case 'succeeded': {
      const { warnings, files, engineMs, outcomes } = state.result
      const notes = outcomes.flatMap(({ itemId: ruleItemId, note }) => (note ? [{ ruleItemId, note }] : []))
      const stored = { bad: shown(files.bad), good: shown(files.good) }
      return { elapsedMs, engineMs, warnings, files: stored, ...(notes.length === 0 ? {} : { notes }) }
    }
    case 'failed':
    case 'aborted':
      return { elapsedMs }
    default:
      return state satisfies never
  }
}

type Files = Extract<Execution, { status: 'succeeded' }>['result']['files']

function shown(file: Files['bad']): { path: string; format: string; rows: number } | null {
  if (!file) return null
  return { path: file.file === null ? file.key : `${file.key}/${file.file}`, format: file.format, rows: file.rows }
}

function descriptionOf(state: Execution): string | null {
  switch (state.status) {
    case 'waiting':
    case 'running':
      return null
    case 'succeeded': {
      const { outcomes, scoreError } = state.result
      const passed = outcomes.filter(({ verdict }) => verdict === 'SUCCESSFUL').length
      const counted = `${passed} of ${outcomes.length} ${outcomes.length === 1 ? 'item' : 'items'} passed.`
      return scoreError === null ? counted : `${counted} ${scoreError}`
    }
    case 'failed':
      return state.error
    case 'aborted':
      return `Cancelled by ${state.by}.`
    default:
      return state satisfies never
  }
}

function executionTypeName(type: PolicyType): string {
  switch (type) {
    case 'DATA_QUALITY':
      return 'DQ_RULE_TYPE_EXECUTION'
    case 'RECONCILIATION':
    case 'EQUALITY':
      return 'RECONCILIATION_RULE_TYPE_EXECUTION'
    case 'DATA_DRIFT':
      return 'DATA_DRIFT_EXECUTION'
    case 'SCHEMA_DRIFT':
      return 'SCHEMA_DRIFT_EXECUTION'
    case 'PROFILE_ANOMALY':
      return 'PROFILE_ANOMALY_TYPE_EXECUTION'
    case 'AUTO_ANOMALY':
      return 'AUTO_ANOMALY_TYPE_EXECUTION'
    case 'DATA_CADENCE':
    case 'DATA_FRESHNESS':
      return 'DATA_CADENCE_TYPE_EXECUTION'
    default:
      return type satisfies never
  }
}
