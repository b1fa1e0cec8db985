import type { ExecutionMetrics, RuleWithExecution } from '@assay/contracts'

/** The cost of a run, from its records; null until it has ended. Pure. */
export function executionMetricsOf(
  execution: RuleWithExecution['execution'],
  result: RuleWithExecution['result'],
): ExecutionMetrics | null {
  if (execution === null || execution.finishedAt == null) return null
  const durationMs = Date.parse(execution.finishedAt) - Date.parse(execution.startedAt)
  return { rowsRead: result?.rows ?? null, durationMs: Math.max(0, durationMs), bytesRead: null, openAlertIds: [] }
}
