import { z } from 'zod'

const onTable = { assetId: z.int(), at: z.string() }
/** The causes of runs that nobody requested. */
export const trigger = z.discriminatedUnion('kind', [
  /** A crawl that changed the schema or the data of a policy's table. `revision`: revision of the table after the crawl. */
  z.object({ kind: z.literal('CRAWL'), ...onTable, revision: z.int() }),
  /** A profile of all rows of the table, which is about to succeed. */
  z.object({ kind: z.literal('PROFILE'), ...onTable, profileId: z.int() }),
])
export type Trigger = z.infer<typeof trigger>

/**
 * The last trigger of a policy, and whether its run is still due. `earlier`: the last one of each other kind and table,
 * newest first, because it may be delivered again after later triggers.
 */
export const triggered = z.object({ trigger, isDue: z.boolean(), earlier: z.array(trigger).exactOptional() })
export type Triggered = z.infer<typeof triggered>

/** A policy has two kinds of triggers on one or two tables; the others are of tables that it had before. */
const earlierKept = 8

/** Rises with each trigger of one kind on one table. */
const numberOf = (one: Trigger) => (one.kind === 'CRAWL' ? one.revision : one.profileId)

const isAlike = (one: Trigger, other: Trigger) => one.kind === other.kind && one.assetId === other.assetId

/** Whether the trigger is new, because a trigger may be delivered again. */
export function isNew(last: Triggered | null, next: Trigger): boolean {
  const alike = triggersOf(last).find((one) => isAlike(one, next))
  return alike === undefined || numberOf(alike) < numberOf(next)
}

const triggersOf = (last: Triggered | null) => (last === null ? [] : [last.trigger, ...(last.earlier ?? [])])

/** The state after a new trigger. */
export function afterTrigger(last: Triggered | null, next: Trigger): Triggered {
  const earlier = triggersOf(last)
    .filter((one) => !isAlike(one, next))
    .slice(0, earlierKept)
  return { trigger: next, isDue: true, ...(earlier.length === 0 ? {} : { earlier }) }
}

export function isSame(one: Trigger, other: Trigger): boolean {
  return isAlike(one, other) && numberOf(one) === numberOf(other)
}

/** Identifies the trigger in the record of a run. */
export function triggerId(one: Trigger): string {
  return one.kind === 'CRAWL' ? `crawl-${one.assetId}-${one.revision}` : `profile-${one.profileId}`
}
