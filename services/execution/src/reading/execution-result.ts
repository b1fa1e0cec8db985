import type { ExecutionResult } from '@assay/contracts'
import type { Execution } from '../execution/execution.ts'
import { executionStatusOf } from '../execution/statuses.ts'
import { itemRecordsOf } from './item-records.ts'
import type { ShownExecution } from './masked-outcomes.ts'
import { ruleExecutionOf } from './rule-execution.ts'
import { shownResultStatusOf } from './shown-status.ts'

const maxWarnings = 100

/** The result, with all fields even while the run is open. `now`: epoch milliseconds, for the duration so far. */
export function executionResultOf(state: ShownExecution, now: number): ExecutionResult {
  return {
    execution: ruleExecutionOf(state),
    items: itemRecordsOf(state).results,
    meta: metaOf(state, now),
    result: ruleExecutionResultOf(state),
    childExecutions: null,
  }
}

/** Counts of a run; null while nothing was counted, or if the measurements do not determine them. */
export function ruleExecutionResultOf(state: ShownExecution): ExecutionResult['result'] {
  const result = state.status === 'succeeded' ? state.result : undefined
  const verdicts = state.hidden === undefined ? result : undefined
  const sides = state.hidden?.rows === true ? undefined : result?.sides
  const rows = sides?.[0].rowsScanned ?? null
  const withVerdict = (verdict: string) => result?.outcomes.filter((outcome) => outcome.verdict === verdict) ?? []
  const { comparison } = state.run.definition
  const rowCounts = result?.outcomes.map(({ rowsFailed }) => rowsFailed) ?? []
  return {
    ruleExecutionType: state.run.definition.typeName,
    status: shownResultStatusOf(state),
    description: descriptionOf(state),
    successCount: verdicts ? withVerdict('SUCCESSFUL').length : null,
    failureCount: verdicts ? withVerdict('ERRORED').length : null,
    rows,
    failedRows: verdicts ? (verdicts.files.bad?.rows ?? unionCount(rowCounts)) : null,
    warningRows: verdicts ? unionCount(withVerdict('WARNING').map(({ rowsFailed }) => rowsFailed)) : null,
    qualityScore: verdicts?.qualityScore ?? null,
    rca: [],
    executionStatus: executionStatusOf(state),
    leftRowsScanned: rows,
    rightRowsScanned: sides?.[1]?.rowsScanned ?? null,
    ...(comparison === undefined ? {} : { comparison: comparisonOf(state)?.figures ?? null }),
  }
}

/** The comparison of a run's sides, as far as the caller may see it; undefined if there is none. */
function comparisonOf(state: ShownExecution) {
  if (state.status !== 'succeeded') return undefined
  const { hidden, hidesColumn = () => false, run, result } = state
  const shown = result.outcomes.filter(({ itemId }) => hidden?.items.has(itemId) !== true)
  return run.definition.comparison?.(shown, hidesColumn)
}

/** The size of the union of sets of rows with known sizes; null if the sizes do not determine it. */
export function unionCount(sizes: readonly (number | null)[]): number | null {
  const present = sizes.filter((size) => size !== null && size > 0)
  return present.length > 1 ? null : (present[0] ?? 0)
}

function metaOf(state: ShownExecution, now: number): Record<string, unknown> {
  const end = 'finishedAt' in state ? Date.parse(state.finishedAt) : now
  const elapsedMs = Math.max(0, end - Date.parse(state.run.startedAt))
  switch (state.status) {
    case 'waiting':
      return state.waitsUntil === undefined
        ? { elapsedMs, progress: { stage: 'QUEUED', fraction: null } }
        : { elapsedMs, progress: { stage: 'WAITING', fraction: null }, waitsUntil: state.waitsUntil }
    case 'running':
      return { elapsedMs, progress: state.progress ?? { stage: 'READING', fraction: null } }
    case 'succeeded': {
      const { sides, files, outcomes, partitions, notMerged = [] } = state.result
      const notes = outcomes.flatMap(({ itemId: ruleItemId, note }) => (note ? [{ ruleItemId, note }] : []))
      const left = outcomes.flatMap(({ itemId: ruleItemId, notBackfilled: reason }) =>
        reason === undefined ? [] : [{ ruleItemId, reason }],
      )
      // The number of kept rows would reveal the verdict.
      const stored =
        state.hidden === undefined ? { bad: shown(files.bad), good: shown(files.good) } : { bad: null, good: null }
      const engineMs = sides.reduce((sum, side) => sum + side.engineMs, 0)
      const ofRows = (comparisonOf(state)?.warnings ?? []).map((message) => ({ line: null, message }))
      const warnings = [...ofRows, ...sides.flatMap((side) => side.warnings.first)].slice(0, maxWarnings)
      const warningCount = sides.reduce((sum, side) => sum + side.warnings.total, ofRows.length)
      return {
        ...{ elapsedMs, engineMs, warnings, warningCount, files: stored },
        ...(notes.length === 0 ? {} : { notes }),
        ...(left.length === 0 ? {} : { notBackfilled: left }),
        ...(partitions === undefined ? {} : { partitions }),
        ...(notMerged.length === 0
          ? {}
          : { notMerged: notMerged.map(({ itemId: ruleItemId, reason }) => ({ ruleItemId, reason })) }),
      }
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

function descriptionOf(state: ShownExecution): string {
  switch (state.status) {
    case 'waiting':
      return state.waitsUntil === undefined
        ? 'Waits for a free slot.'
        : `Has read the left table, and reads the right one after ${state.waitsUntil} (delayInMinutes).`
    case 'running':
      return 'Is running.'
    case 'succeeded': {
      if (state.hidden !== undefined)
        return 'The verdict depends on protected columns: seeing it requires the permission ASSET_PROTECTED_VIEW.'
      const { outcomes, scoreError } = state.result
      const summary = state.run.definition.summary?.(outcomes)
      if (summary !== undefined) return scoreError === null ? summary : `${summary} ${scoreError}`
      const passed = outcomes.filter(({ verdict }) => verdict === 'SUCCESSFUL').length
      const unknown = outcomes.filter(({ error }) => error !== null).length
      const counted = `${passed} of ${outcomes.length} ${outcomes.length === 1 ? 'item' : 'items'} passed`
      const whole = unknown === 0 ? `${counted}.` : `${counted}; ${unknown} could not be evaluated.`
      return scoreError === null ? whole : `${whole} ${scoreError}`
    }
    case 'failed':
      return state.error
    case 'aborted':
      return `Cancelled by ${state.by}.`
    default:
      return state satisfies never
  }
}
