import type { Documents } from '@assay/documents'
import { longestHistory, type PastOutcome } from '@assay/reliability'
import { executions } from '../execution/execution.documents.ts'
import { runItems } from '../execution/run-items.ts'
import type { KnownRun } from '../versions/versions.ts'

/** What earlier runs of a policy measured, for thresholds that compare with them. */
export interface RunHistory {
  items: ReadonlyMap<number, readonly PastOutcome[]>
  scores: readonly { score: number; at: number }[]
}

export const noHistory: RunHistory = { items: new Map(), scores: [] }

const pageSize = 20

/** The last runs of the same execution type that came to a result, at most a hundred. Nothing is read where no threshold of the run looks back. */
export async function runHistory(
  documents: Pick<Documents, 'find'>,
  tenant: string,
  run: KnownRun,
): Promise<RunHistory> {
  const { score } = run.definition
  const byScore = score.verdictBy === 'SCORE' ? [score.threshold] : []
  const looksBack = [...byScore, ...runItems(run).map((item) => item.thresholdConfig)].some(
    ({ type }) => type !== 'ABSOLUTE',
  )
  // A chosen part of the data compares with nothing: neither with other parts nor with the whole.
  if (!looksBack || run.executionType === 'SELECTIVE') return noHistory
  const items = new Map<number, PastOutcome[]>()
  const scores: { score: number; at: number }[] = []
  for (let page = 0; page * pageSize < longestHistory; page += 1) {
    const found = await documents.find(executions, tenant, {
      where: [
        { field: 'policyId', is: run.policy.id },
        { field: 'executionType', is: run.executionType },
        { field: 'executionStatus', is: 'SUCCESSFUL' },
      ],
      sort: [{ field: 'startedAt', direction: 'desc' }],
      page,
      size: pageSize,
    })
    for (const state of found.documents) {
      if (state.status !== 'succeeded' || state.run.executionId === run.executionId) continue
      const at = Date.parse(state.run.startedAt)
      if (state.result.qualityScore !== null) scores.push({ score: state.result.qualityScore, at })
      for (const { itemId, value, resultPercentage, rowsScanned, rowsFailed } of state.result.outcomes) {
        const past = { value, resultPercentage, rowsScanned, rowsFailed, at }
        const known = items.get(itemId)
        if (known === undefined) items.set(itemId, [past])
        else known.push(past)
      }
    }
    if (found.documents.length < pageSize) break
  }
  return { items, scores }
}
