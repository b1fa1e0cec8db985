import type { PolicyAnswer, PolicyType } from '@assay/contracts'
import { familyOf } from '../families/table.ts'
import type { DefinitionOf } from './definition.ts'
import type { ExistingPolicy } from './policy.ts'

/** A policy with its items, as the routes of its type return it. */
export function policyAnswerOf(policy: ExistingPolicy, tenant: string): PolicyAnswer {
  return answerOf(policy, policy.definition, tenant)
}

function answerOf<Type extends PolicyType>(policy: ExistingPolicy, definition: DefinitionOf<Type>, tenant: string) {
  return familyOf(definition.type).answer(policy, definition, tenant)
}
