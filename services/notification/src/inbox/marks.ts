import type { Condition, Documents } from '@assay/documents'
import { inboxes, inboxKey } from './aggregate.ts'
import type { Inbox } from './inbox.ts'

/** When a user read all; and the condition of the notifications that were made since then, and of those that were not. */
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
  // No time is between one and the same text with a character more.
  return { marks, later: [{ field: 'madeAt', from: `${until}0` }], earlier: [{ field: 'madeAt', to: until }] }
}
