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

/** A run whose score depends on protected columns. Scores of earlier runs are not stored while its document is. */
const hiddenScore = score.omit({ score: true, verdict: true }).extend({ score: z.null() })

/** The last scores of each policy, from the public events of its runs. One document per run. */
export const notificationScores = defineCollection<Score | z.infer<typeof hiddenScore>>({
  name: 'notification_scores',
  version: 2,
  idType: 'integer',
  schema: z.union([score, hiddenScore]),
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
type Stored = Score | z.infer<typeof hiddenScore>

/** A page of the runs of a policy with a document, the latest first. */
async function runsOf(
  documents: Pick<Documents, 'find'>,
  tenant: string,
  policyId: number,
  { page, size }: { page: number; size: number },
): Promise<Stored[]> {
  const where = [{ field: 'policyId', is: policyId }]
  return (await documents.find(notificationScores, tenant, { where, sort: latestFirst, page, size })).documents
}

const removed = { revision: 1, position: '' }
const removalOf = (tenant: string, { executionId }: Stored) =>
  documentPut(notificationScores, tenant, executionId, null, removed)

/**
 * Stores the score of a run that ended (`at`: when), and removes those that no plot shows any more. If the score depends
 * on protected columns, removes the scores of this and all earlier runs of the policy, also of those whose events arrive
 * later: the API masks them even if the policy later uses other columns. Idempotent.
 */
export async function storeScore(documents: ScoreStore, tenant: string, data: unknown, at: string): Promise<void> {
  const { executionId, policyId, qualityScore, resultStatus: verdict } = scoredRun.parse(data)
  const put = (stored: Stored) =>
    documentPut(notificationScores, tenant, executionId, stored, { revision: 0, position: '' })
  if (qualityScore === undefined) {
    const runs = await runsOf(documents, tenant, policyId, { page: 0, size: mostStored })
    const earlier = runs.filter((run) => run.at <= at && run.executionId !== executionId)
    const hidden = put({ executionId, policyId, at, score: null })
    return documents.put([hidden, ...earlier.map((run) => removalOf(tenant, run))])
  }
  if (qualityScore === null || verdict === undefined) return
  const latest = await runsOf(documents, tenant, policyId, { page: 0, size: kept })
  if (latest.some((run) => run.score === null && run.at >= at)) return
  await documents.put([put({ executionId, policyId, at, score: qualityScore, verdict })])
  const old = await runsOf(documents, tenant, policyId, { page: 1, size: kept })
  await documents.put(old.map((run) => removalOf(tenant, run)))
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
  const runs = await runsOf(documents, tenant, policyId, { page: 0, size: kept })
  const scores = runs.filter((run) => run.score !== null)
  const nth = scores.findIndex((run) => run.executionId === executionId)
  if (nth === -1) return undefined
  const policy = (await documents.get(notificationPolicies, tenant, policyId))?.document
  return { scores: scores.slice(nth).toReversed(), passes: policy?.passes ?? null }
}
