import { policyMessage } from '@assay/contracts'
import { defineCollection, documentPut } from '@assay/documents'
import type { Aggregate } from '@assay/event-store'
import { z } from 'zod'
import { decide, type PolicyCommand } from './decide.ts'
import type { Configuration } from './definition.ts'
import { absent, evolve, type Policy, type PolicyEvent } from './policy.ts'
import { ruleAnswer } from './records.ts'

const handling = z.object({ storeResult: z.boolean(), sampleOnly: z.boolean() })
const category = z.object({ suffixTemplate: z.string(), format: z.enum(['PARQUET', 'CSV', 'JSON']) })
const configuration: z.ZodType<Configuration> = z.object({
  prefix: z.string().nullable(),
  categories: z.discriminatedUnion('type', [
    z.object({ type: z.literal('DEFAULT') }),
    z.object({
      type: z.literal('CUSTOM'),
      categoriesConfig: z.object({
        good: category,
        bad: category,
        metadata: z.object({ suffixTemplate: z.string() }),
      }),
    }),
  ]),
  handling: z.object({ good: handling, bad: handling }),
})

const policyDocument = z.object({ answer: policyMessage.shape.policy, configuration })
/** A policy as it stands: what the routes answer, and how its results are stored. */
export type PolicyDocument = z.infer<typeof policyDocument>

export type PolicyStatus = 'ENABLED' | 'DISABLED' | 'ARCHIVED'

function statusOf({ answer: { rule } }: PolicyDocument): PolicyStatus {
  return rule.archived ? 'ARCHIVED' : rule.enabled ? 'ENABLED' : 'DISABLED'
}

export const policies = defineCollection<PolicyDocument>({
  name: 'policies',
  version: 1,
  idType: 'integer',
  schema: policyDocument,
  fields: {
    name: { type: 'text', of: ({ answer }) => answer.rule.name },
    type: { type: 'text', of: ({ answer }) => answer.rule.type },
    status: { type: 'text', of: statusOf },
    assetId: { type: 'integer', of: ({ answer }) => answer.rule.backingAsset.tableAssetId },
    archived: { type: 'boolean', of: ({ answer }) => answer.rule.archived },
    version: { type: 'integer', of: ({ answer }) => answer.rule.version },
    createdAt: { type: 'text', of: ({ answer }) => answer.rule.createdAt },
    updatedAt: { type: 'text', of: ({ answer }) => answer.rule.updatedAt },
  },
})

/** Policies of every type: streams `<tenant>/policy-<id>`. Past versions are read from the stream. */
export const policyAggregate: Aggregate<Policy, PolicyCommand, PolicyEvent> = {
  category: 'policy',
  schemaVersion: 1,
  decider: { initialState: absent, decide, evolve },
  documents: (state, { tenant }, source) =>
    state.status === 'absent'
      ? []
      : [
          documentPut(
            policies,
            tenant,
            state.policyId,
            { answer: ruleAnswer(state, tenant), configuration: state.configuration },
            source,
          ),
        ],
}
