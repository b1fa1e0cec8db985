import { type Documents, defineCollection, documentPut } from '@assay/documents'
import type { Aggregate } from '@assay/event-store'
import { decide, evolve, noRule, type Rule, type RuleCommand, type RuleEvent, type RuleState, rule } from './rule.ts'

/** Maximum number of rules of a tenant: all of them are read for each event. */
export const maxRules = 500

/** One document per rule. */
export const rulesOfTenant = defineCollection<Rule>({
  name: 'notification_rules',
  version: 1,
  idType: 'integer',
  schema: rule,
  fields: {
    createdAt: { type: 'text', of: ({ createdAt }) => createdAt, required: true },
    ruleId: { type: 'integer', of: ({ ruleId }) => ruleId, required: true, alone: false },
  },
  listings: [['createdAt', 'ruleId']],
})

/** All rules of a tenant. */
export async function allRules(documents: Pick<Documents, 'find'>, tenant: string): Promise<readonly Rule[]> {
  return (await documents.find(rulesOfTenant, tenant, { where: [], size: maxRules })).documents
}

/** Streams `<tenant>/notificationrule-<id>`. */
export const ruleAggregate: Aggregate<RuleState, RuleCommand, RuleEvent> = {
  category: 'notificationrule',
  decider: { initialState: noRule, decide, evolve },
  schemaVersion: 1,
  documents: (state, { tenant, id }, source) =>
    state.status === 'none'
      ? []
      : [documentPut(rulesOfTenant, tenant, Number(id), state.status === 'present' ? state.rule : null, source)],
}
