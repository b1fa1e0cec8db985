import { type PolicyMessage, policyMessage } from '@assay/contracts'
import { type DocumentPut, defineCollection, documentPut } from '@assay/documents'
import { z } from 'zod'

const policyCopy = z.object({
  policy: policyMessage.shape.policy,
  configuration: policyMessage.shape.configuration,
  baseline: policyMessage.shape.baseline,
})
/** A policy, from the last message of the policy service about it. */
export type PolicyCopy = z.infer<typeof policyCopy>

function comparesWith(rule: PolicyCopy['policy']['rule']): number | null {
  return 'baseline' in rule && rule.baseline.type === 'EXECUTION' ? rule.baseline.executionId : null
}

export const executionPolicies = defineCollection<PolicyCopy>({
  name: 'execution_policies',
  version: 5,
  idType: 'integer',
  schema: policyCopy,
  fields: {
    name: { type: 'text', of: ({ policy }) => policy.rule.name },
    archived: { type: 'boolean', of: ({ policy }) => policy.rule.archived },
    /** The execution whose profile its runs compare with. */
    comparesWith: { type: 'integer', of: ({ policy: { rule } }) => comparesWith(rule) },
    /** Key of the version that it learned when it was created. */
    baseline: { type: 'text', of: ({ baseline }) => baseline ?? null },
  },
})

/** Stores a policy from its message. `position`: log position of the message's state in the policy service. Pure. */
export function policyCopyPut(tenant: string, message: PolicyMessage, position: string): DocumentPut {
  const { revision, policy, configuration, baseline } = message
  return documentPut(
    executionPolicies,
    tenant,
    policy.rule.id,
    { policy, configuration, ...(baseline === undefined ? {} : { baseline }) },
    { revision, position },
  )
}
