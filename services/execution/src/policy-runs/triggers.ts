import { z } from 'zod'

const onTable = { assetId: z.int(), at: z.string() }
/** What starts runs of policies that nobody requested. */
export const trigger = z.discriminatedUnion('kind', [
  /** A crawl that changed the schema or the data of a policy's table. `revision`: revision of the table after the crawl. */
  z.object({ kind: z.literal('CRAWL'), ...onTable, revision: z.int() }),
  /** A profile of all rows of the table, which is about to succeed. */
  z.object({ kind: z.literal('PROFILE'), ...onTable, profileId: z.int() }),
])
export type Trigger = z.infer<typeof trigger>

/** The last trigger of a policy, and whether its run is still due. */
export const triggered = z.object({ trigger, isDue: z.boolean() })

/** Rises with each trigger of one kind on one table. */
const numberOf = (one: Trigger) => (one.kind === 'CRAWL' ? one.revision : one.profileId)

const isAlike = (one: Trigger, other: Trigger) => one.kind === other.kind && one.assetId === other.assetId

/** Whether the trigger is new, because a trigger may be delivered again. */
export function isNew(last: z.infer<typeof triggered> | null, next: Trigger): boolean {
  return last === null || !isAlike(last.trigger, next) || numberOf(last.trigger) < numberOf(next)
}

export function isSame(one: Trigger, other: Trigger): boolean {
  return isAlike(one, other) && numberOf(one) === numberOf(other)
}

/** Identifies the trigger in the record of a run. */
export function triggerId(one: Trigger): string {
  return one.kind === 'CRAWL' ? `crawl-${one.assetId}-${one.revision}` : `profile-${one.profileId}`
}
