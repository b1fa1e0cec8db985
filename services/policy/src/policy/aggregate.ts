import { isOfFamily, type PolicyAnswer, policyMessage } from '@assay/contracts'
import { defineCollection, documentPut } from '@assay/documents'
import type { Aggregate } from '@assay/event-store'
import { z } from 'zod'
import { decide, type PolicyCommand } from './decide.ts'
import type { Configuration } from './definition.ts'
import { absent, evolve, type Policy, type PolicyEvent } from './policy.ts'
import { policyAnswerOf } from './records.ts'
import { storedCategories } from './stored-categories.ts'

const handling = z.object({ storeResult: z.boolean(), sampleOnly: z.boolean() })
const configuration: z.ZodType<Configuration> = z.object({
  prefix: z.string().nullable(),
  categories: z.discriminatedUnion('type', [
    z.object({ type: z.literal('DEFAULT') }),
    z.object({
      type: z.literal('CUSTOM'),
      categoriesConfig: storedCategories,
    }),
    z.object({ type: z.literal('SAVED'), configId: z.int() }),
  ]),
  handling: z.object({ good: handling, bad: handling }),
})

const policyDocument = z.object({ answer: policyMessage.shape.policy, configuration })
/** The current state of a policy: its record, and how its results are stored. */
export type PolicyDocument = z.infer<typeof policyDocument>

type PolicyStatus = 'ENABLED' | 'DISABLED' | 'ARCHIVED'

function statusOf({ answer: { rule } }: PolicyDocument): PolicyStatus {
  return rule.archived ? 'ARCHIVED' : rule.enabled ? 'ENABLED' : 'DISABLED'
}

/** The assets of a policy: one, or the left and the right one. */
function assetsOf(answer: PolicyAnswer): [number, number | null] {
  if (isOfFamily(answer, 'reconciliation')) {
    const { leftBackingAsset, rightBackingAsset } = answer.rule
    return [leftBackingAsset.tableAssetId, rightBackingAsset.tableAssetId]
  }
  return ['backingAsset' in answer.rule ? answer.rule.backingAsset.tableAssetId : 0, null]
}

/** The chosen persistence configuration, 0 for the default one; `null` means the policy has its own templates. */
function persistenceOf({ configuration: { categories } }: PolicyDocument): number | null {
  return categories.type === 'SAVED' ? categories.configId : categories.type === 'DEFAULT' ? 0 : null
}

export const policies = defineCollection<PolicyDocument>({
  name: 'policies',
  version: 7,
  idType: 'integer',
  schema: policyDocument,
  fields: {
    name: { type: 'text', of: ({ answer }) => answer.rule.name },
    type: { type: 'text', of: ({ answer }) => answer.rule.type },
    status: { type: 'text', of: statusOf },
    assetId: { type: 'integer', of: ({ answer }) => assetsOf(answer)[0] },
    rightAssetId: { type: 'integer', of: ({ answer }) => assetsOf(answer)[1] },
    persistenceId: { type: 'integer', of: persistenceOf },
    archived: { type: 'boolean', of: ({ answer }) => answer.rule.archived },
    version: { type: 'integer', of: ({ answer }) => answer.rule.version },
    createdAt: { type: 'text', of: ({ answer }) => answer.rule.createdAt },
    updatedAt: { type: 'text', of: ({ answer }) => answer.rule.updatedAt },
  },
})

/** Policies of every type: streams `<tenant>/policy-<id>`. Earlier versions are read from the stream. */
export const policyAggregate: Aggregate<Policy, PolicyCommand, PolicyEvent> = {
  category: 'policy',
  schemaVersion: 2,
  decider: { initialState: absent, decide, evolve },
  documents: (state, { tenant }, source) =>
    state.status === 'absent'
      ? []
      : [
          documentPut(
            policies,
            tenant,
            state.policyId,
            { answer: policyAnswerOf(state, tenant), configuration: state.configuration },
            source,
          ),
        ],
}
