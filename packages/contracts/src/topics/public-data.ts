import { z } from 'zod'
import { publicTopics } from './messages.ts'

const change = z.record(z.string(), z.unknown()).nullable()
/** The changed fields; null for a new or a deleted thing. */
const changes = z.object({ before: change, after: change })

/**
 * `data` of the events of each public topic: the guaranteed fields; more may be added. Each of `entities` is a possible
 * prefix of `subject`.
 */
export const publicData = {
  [publicTopics.assets]: {
    service: 'catalog',
    entities: ['asset', 'assembly', 'crawl', 'tag', 'tag-key', 'policy', 'udf-template'],
    data: z.looseObject({
      assetId: z.int().optional(),
      assemblyId: z.int().optional(),
      crawlId: z.int().optional(),
      tagId: z.int().optional(),
      policyId: z.int().optional(),
      changes: changes.optional(),
    }),
  },
  [publicTopics.policies]: {
    service: 'policy',
    entities: ['<policyId>', 'persistence', 'ruletag'],
    data: z.looseObject({
      policyId: z.int().optional(),
      policyName: z.string().optional(),
      policyType: z.string().optional(),
      policyVersion: z.int().optional(),
      assetId: z.int().optional(),
      assetUid: z.string().optional(),
      enabled: z.boolean().optional(),
      archived: z.boolean().optional(),
      scheduled: z.boolean().optional(),
      changes: changes.optional(),
    }),
  },
  [publicTopics.executions]: {
    service: 'execution',
    entities: ['execution', 'profile', 'incident'],
    data: z.union([
      z.looseObject({
        executionId: z.int(),
        policyId: z.int(),
        policyName: z.string(),
        policyType: z.string(),
        policyVersion: z.int(),
        executionStatus: z.string(),
        /** `resultStatus` and `qualityScore` are absent if the verdict depends on protected columns. */
        resultStatus: z.string().optional(),
        qualityScore: z.number().nullable().optional(),
        startedAt: z.string(),
        finishedAt: z.string().nullable(),
        error: z.string().nullable(),
      }),
      z.looseObject({
        profileId: z.int(),
        assetId: z.int(),
        assetUid: z.string(),
        status: z.string(),
        rowCount: z.int().nullable(),
        requestedAt: z.string(),
        finishedAt: z.string().nullable(),
        error: z.string().nullable(),
      }),
      /** Incidents whose verdicts depend on protected columns are not published. */
      z.looseObject({
        incidentId: z.int(),
        policyId: z.int(),
        policyName: z.string(),
        assetId: z.int(),
        assetUid: z.string(),
        status: z.string(),
        verdict: z.string(),
        /** The run that opened or changed it last. */
        executionId: z.int(),
        count: z.int(),
        openedAt: z.string(),
        lastAt: z.string(),
        changes,
      }),
    ]),
  },
  [publicTopics.samples]: {
    service: 'sampling',
    entities: ['sample'],
    data: z.looseObject({
      requestId: z.string(),
      status: z.string(),
      rowCount: z.int().nullable(),
      error: z.string().nullable(),
    }),
  },
  [publicTopics.notifications]: {
    service: 'notification',
    entities: ['notification', 'watch', 'inbox'],
    data: z.looseObject({
      notificationId: z.int().optional(),
      recipient: z.string().optional(),
      watchId: z.int().optional(),
      userId: z.string().optional(),
      watching: z.boolean().optional(),
    }),
  },
} as const
