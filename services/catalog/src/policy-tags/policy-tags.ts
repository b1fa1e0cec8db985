/** Maximum number of tags per policy. */
export const maxPolicyTags = 1000

type NamedTag = { tagId: number; tagName: string }
type By = { at: string; by: string }

/** `tagName`: the name at that time, only for the audit. */
type OfPolicyTag = NamedTag & By & { policyId: number }
export type PolicyTagAdded = { type: 'PolicyTagAdded'; data: OfPolicyTag }
export type PolicyTagRemoved = { type: 'PolicyTagRemoved'; data: OfPolicyTag }
export type PolicyTagsEvent = PolicyTagAdded | PolicyTagRemoved

/** `index`: the order of addition. A removed tag stays in the list, so that its document is deleted. */
export type PolicyTag = { tagId: number; index: number; isPresent: boolean }
/** `policyId` is 0 while there are no events of the policy. `nextIndex`: that of the next added tag. */
export type PolicyTagsState = { policyId: number; nextIndex: number; tags: readonly PolicyTag[] }

export type AddPolicyTags = By & { type: 'AddPolicyTags'; policyId: number; tags: readonly NamedTag[] }
/** Replaces the tag `from` with `into`. */
export type MovePolicyTag = By & { type: 'MovePolicyTag'; policyId: number; from: NamedTag; into: NamedTag }
export type PolicyTagsCommand = AddPolicyTags | MovePolicyTag

export const initialPolicyTags: PolicyTagsState = { policyId: 0, nextIndex: 0, tags: [] }

/** Whether the policy has exactly this tag. */
export function carriesTag({ tags }: PolicyTagsState, tagId: number): boolean {
  return tags.some((tag) => tag.tagId === tagId && tag.isPresent)
}

/** The state after an event. */
export function evolvePolicyTags({ nextIndex, tags }: PolicyTagsState, event: PolicyTagsEvent): PolicyTagsState {
  const { policyId, tagId } = event.data
  const others = tags.filter((tag) => tag.tagId !== tagId)
  switch (event.type) {
    case 'PolicyTagAdded':
      return { policyId, nextIndex: nextIndex + 1, tags: [...others, { tagId, index: nextIndex, isPresent: true }] }
    case 'PolicyTagRemoved':
      return {
        policyId,
        nextIndex,
        tags: tags.map((tag) => (tag.tagId === tagId ? { ...tag, isPresent: false } : tag)),
      }
    default:
      return event satisfies never
  }
}

/**
 * The events of a command on the tags of a policy. Adding is idempotent. Tags beyond `maxPolicyTags` are not added;
 * callers see this in the state. A move has no limit.
 */
export function decidePolicyTags(command: PolicyTagsCommand, state: PolicyTagsState): PolicyTagsEvent[] {
  const { policyId, at, by } = command
  const of = (tag: NamedTag): OfPolicyTag => ({ policyId, tagId: tag.tagId, tagName: tag.tagName, at, by })
  switch (command.type) {
    case 'AddPolicyTags': {
      const present = new Set(state.tags.flatMap(({ tagId, isPresent }) => (isPresent ? [tagId] : [])))
      const events: PolicyTagsEvent[] = []
      for (const tag of command.tags) {
        if (present.has(tag.tagId) || present.size >= maxPolicyTags) continue
        present.add(tag.tagId)
        events.push({ type: 'PolicyTagAdded', data: of(tag) })
      }
      return events
    }
    case 'MovePolicyTag': {
      const { from, into } = command
      if (from.tagId === into.tagId || !carriesTag(state, from.tagId)) return []
      return [
        ...(carriesTag(state, into.tagId) ? [] : [{ type: 'PolicyTagAdded' as const, data: of(into) }]),
        { type: 'PolicyTagRemoved', data: of(from) },
      ]
    }
    default:
      return command satisfies never
  }
}
