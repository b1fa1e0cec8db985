import { defineCollection, documentPut } from '@assay/documents'
import type { Aggregate } from '@assay/event-store'
import { z } from 'zod'
import {
  decidePolicyTags,
  evolvePolicyTags,
  initialPolicyTags,
  type PolicyTagsCommand,
  type PolicyTagsEvent,
  type PolicyTagsState,
} from './policy-tags.ts'

const policyTagDocument = z.object({ policyId: z.int(), tagId: z.int(), index: z.int() })
export type PolicyTagDocument = z.infer<typeof policyTagDocument>

/** One per tag of a policy. The name is in the tag's own document. */
export const policyTags = defineCollection<PolicyTagDocument>({
  name: 'policy_tags',
  version: 2,
  idType: 'text',
  schema: policyTagDocument,
  fields: {
    policyId: { type: 'integer', of: ({ policyId }) => policyId },
    tagId: { type: 'integer', of: ({ tagId }) => tagId },
    index: { type: 'integer', of: ({ index }) => index },
  },
})

/**
 * The tags of a policy: streams `<tenant>/policytags-<policyId>`. The policy itself is in the log of its own service.
 */
export const policyTagsAggregate: Aggregate<PolicyTagsState, PolicyTagsCommand, PolicyTagsEvent> = {
  category: 'policytags',
  decider: { initialState: initialPolicyTags, decide: decidePolicyTags, evolve: evolvePolicyTags },
  schemaVersion: 1,
  documents: ({ policyId, tags }, { tenant }, source) =>
    tags.map(({ tagId, index, isPresent }) =>
      documentPut(policyTags, tenant, `${policyId}.${tagId}`, isPresent ? { policyId, tagId, index } : null, source),
    ),
}
