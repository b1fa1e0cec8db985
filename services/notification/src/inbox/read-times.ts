import type { Condition, Documents } from '@assay/documents'
import { inboxes, inboxKey } from './aggregate.ts'
import type { Inbox } from './inbox.ts'

/** The times at which a user marked all as read, with the conditions for notifications made since then and before. */
export interface Marks {
  marks: Inbox['marks']
  later: readonly Condition[]
  earlier: readonly Condition[]
}

export async function marksOf(
  documents: Pick<Documents, 'get'>,
  { tenant, user }: { tenant: string; user: string },
): Promise<Marks> {
  const marks = (await documents.get(inboxes, tenant, inboxKey(user)))?.document.marks ?? []
  const until = marks.at(-1)?.until
  if (until === undefined) return { marks, later: [], earlier: [] }
  // No text sorts between a time and the same time with one more character.
  return { marks, later: [{ field: 'madeAt', from: `${until}0` }], earlier: [{ field: 'madeAt', to: until }] }
}
