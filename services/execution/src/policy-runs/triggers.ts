import { z } from 'zod'

/** A crawl that changed the schema of a policy's table. `revision`: revision of the table after the crawl. */
export const trigger = z.object({ assetId: z.int(), revision: z.int(), at: z.string() })
export type Trigger = z.infer<typeof trigger>

/** The last trigger of a policy, and whether its run is still due. */
export const triggered = z.object({ trigger, isDue: z.boolean() })

/** Whether the trigger is new, because a message of the catalog may be delivered again. */
export function isNew(last: z.infer<typeof triggered> | null, { assetId, revision }: Trigger): boolean {
  return last === null || last.trigger.assetId !== assetId || last.trigger.revision < revision
}

export function isSame(one: Trigger, other: Trigger): boolean {
  return one.assetId === other.assetId && one.revision === other.revision
}
