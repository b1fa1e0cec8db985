import { defineCollection, documentPut } from '@assay/documents'
import type { Aggregate } from '@assay/event-store'
import { uuidV5 } from '@assay/service-kit'
import { z } from 'zod'

export type RuleTagEvent = {
  type: 'RuleTagCreated'
  data: { tagId: number; name: string; at: string; by: string }
}
export type RuleTagCommand = { kind: 'EnsureRuleTag'; tagId: number; name: string; at: string; by: string }

const knownTag = z.object({ tagId: z.int(), name: z.string(), createdAt: z.string(), createdBy: z.string() })
/** A name that policies can be tagged with. */
export type KnownTag = z.infer<typeof knownTag>
export type RuleTagState = { status: 'absent' } | ({ status: 'known' } & KnownTag)

export function evolve(_state: RuleTagState, { data }: RuleTagEvent): RuleTagState {
  const { tagId, name, at, by } = data
  return { status: 'known', tagId, name, createdAt: at, createdBy: by }
}

/** A name is created once: a second request finds the first one's id. */
export function decide({ kind: _, ...data }: RuleTagCommand, state: RuleTagState): readonly RuleTagEvent[] {
  return state.status === 'known' ? [] : [{ type: 'RuleTagCreated', data }]
}

export const ruleTags = defineCollection<KnownTag>({
  name: 'rule_tags',
  version: 4,
  idType: 'integer',
  schema: knownTag,
  fields: {
    name: { type: 'text', of: ({ name }) => name },
    createdAt: { type: 'text', of: ({ createdAt }) => createdAt },
  },
})

/** The id of a name's stream: names are case-sensitive. */
export function ruleTagKey(name: string): string {
  return uuidV5('rule-tag', name)
}

/** Streams `<tenant>/ruletag-<ruleTagKey>`. */
export const ruleTagAggregate: Aggregate<RuleTagState, RuleTagCommand, RuleTagEvent> = {
  category: 'ruletag',
  schemaVersion: 1,
  decider: { initialState: { status: 'absent' }, decide, evolve },
  documents: (state, { tenant }, source) => {
    if (state.status === 'absent') return []
    const { status: _, ...tag } = state
    return [documentPut(ruleTags, tenant, tag.tagId, tag, source)]
  },
}
