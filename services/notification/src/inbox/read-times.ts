import type { Condition, Documents } from '@assay/documents'
import { inboxes, inboxKey } from './aggregate.ts'
import type { Inbox } from './inbox.ts'

/** When a user marked all as read, and the conditions for notifications created after and before the last such time. */
export interface ReadTimes {
  readTimes: Inbox['readTimes']
  later: readonly Condition[]
  earlier: readonly Condition[]
}

export async function readTimesOf(
  documents: Pick<Documents, 'get'>,
  { tenant, user }: { tenant: string; user: string },
): Promise<ReadTimes> {
  const readTimes = (await documents.get(inboxes, tenant, inboxKey(user)))?.document.readTimes ?? []
  const until = readTimes.at(-1)?.until
  if (until === undefined) return { readTimes, later: [], earlier: [] }
  // No text sorts between a time and the same time with one more character.
  return { readTimes, later: [{ field: 'freshAt', from: `${until}0` }], earlier: [{ field: 'freshAt', to: until }] }
}
