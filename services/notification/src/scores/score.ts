import { type Documents, defineCollection, documentPut } from '@assay/documents'
import { z } from 'zod'
import { notificationPolicies } from '../copies/targets.ts'

/** A score from 0 to 100 of a run that everybody who may read the policy may see. `at`: ISO 8601 UTC. */
const score = z.object({
  executionId: z.int(),
  policyId: z.int(),
  at: z.string(),
  score: z.number(),
  verdict: z.string(),
})
export type Score = z.infer<typeof score>

/** The last scores of each policy, from the public events of its runs. One document per run. */
export const notificationScores = defineCollection<Score>({
  name: 'notification_scores',
  version: 1,
  idType: 'integer',
  schema: score,
  fields: {
    policyId: { type: 'integer', of: ({ policyId }) => policyId, alone: false },
    at: { type: 'text', of: ({ at }) => at, required: true, alone: false },
    executionId: { type: 'integer', of: ({ executionId }) => executionId, required: true, alone: false },
  },
  listings: [['policyId', 'at', 'executionId']],
})

/** The number of scores that a plot shows, and that are kept of a policy. */
const kept = 20
/** More than are ever stored of a policy, even while several runs end at once. */
const mostStored = 1_000
const latestFirst = (['at', 'executionId'] as const).map((field) => ({ field, direction: 'desc' as const }))

const scoredRun = z.object({
  executionId: z.int(),
  policyId: z.int(),
  /** Absent if they depend on protected columns. `null` if the run has no score. */
  qualityScore: z.number().nullish(),
  resultStatus: z.string().optional(),
})

type ScoreStore = Pick<Documents, 'find' | 'put'>

/** Removes a page of the scores of a policy, the latest first. */
async function removeScores(
  documents: ScoreStore,
  tenant: string,
  policyId: number,
  { page, size }: { page: number; size: number },
): Promise<void> {
  const where = [{ field: 'policyId', is: policyId }]
  const old = await documents.find(notificationScores, tenant, { where, sort: latestFirst, page, size })
  const removed = { revision: 1, position: '' }
  await documents.put(
    old.documents.map((each) => documentPut(notificationScores, tenant, each.executionId, null, removed)),
  )
}

/**
 * Stores the score of a run that ended (`at`: when), and removes those that no plot shows any more. If the score depends
 * on protected columns, removes all scores of the policy: the API masks them even if the policy later uses other columns.
 * Idempotent.
 */
export async function storeScore(documents: ScoreStore, tenant: string, data: unknown, at: string): Promise<void> {
  const { executionId, policyId, qualityScore, resultStatus: verdict } = scoredRun.parse(data)
  if (qualityScore === undefined) return removeScores(documents, tenant, policyId, { page: 0, size: mostStored })
  if (qualityScore === null || verdict === undefined) return
  const stored = { executionId, policyId, at, score: qualityScore, verdict }
  await documents.put([documentPut(notificationScores, tenant, executionId, stored, { revision: 0, position: '' })])
  await removeScores(documents, tenant, policyId, { page: 1, size: kept })
}

/** The scores of a policy up to one of its runs, the oldest first. `passes`: the limits of its verdict, if it has any. */
export interface ScoreHistory {
  scores: readonly Score[]
  passes: { success: number; warning: number | null } | null
}

/**
 * The scores up to a run. `undefined` if the run has no score that everybody may see, even if earlier ones had: a column
 * may be protected by now.
 */
export async function scoresUpTo(
  documents: Pick<Documents, 'find' | 'get'>,
  tenant: string,
  { policyId, executionId }: { policyId: number; executionId: number },
): Promise<ScoreHistory | undefined> {
  const where = [{ field: 'policyId', is: policyId }]
  const found = await documents.find(notificationScores, tenant, { where, sort: latestFirst, size: kept })
  const nth = found.documents.findIndex((each) => each.executionId === executionId)
  if (nth === -1) return undefined
  const policy = (await documents.get(notificationPolicies, tenant, policyId))?.document
  return { scores: found.documents.slice(nth).toReversed(), passes: policy?.passes ?? null }
}
