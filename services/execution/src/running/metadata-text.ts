import type { RunResult } from '../execution/run.ts'
import { executionResultOf } from '../reading/execution-result.ts'
import type { KnownRun } from '../versions/versions.ts'

/** The summary that is stored with the rows: the run's result as JSON, as the API shows it. */
export function metadataText(ended: { run: KnownRun; finishedAt: string; result: RunResult }): string {
  const state = { status: 'succeeded' as const, ...ended }
  return `${JSON.stringify(executionResultOf(state, Date.parse(ended.finishedAt)), null, 2)}\n`
}
