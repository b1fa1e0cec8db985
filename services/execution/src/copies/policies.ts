import { policyMessage } from '@assay/contracts'
import { defineCollection } from '@assay/documents'
import { z } from 'zod'

const policyCopy = z.object({
  policy: policyMessage.shape.policy,
  configuration: policyMessage.shape.configuration,
  /** Position of the policy service's log that this copy stands for. */
  position: z.string(),
})
/** A policy as its service told of it last. */
export type PolicyCopy = z.infer<typeof policyCopy>

export const executionPolicies = defineCollection<PolicyCopy>({
  name: 'execution_policies',
  version: 1,
  idType: 'integer',
  schema: policyCopy,
  fields: {
    name: { type: 'text', of: ({ policy }) => policy.rule.name },
    archived: { type: 'boolean', of: ({ policy }) => policy.rule.archived },
    position: { type: 'text', of: ({ position }) => position },
  },
})
