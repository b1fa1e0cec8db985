import { type Documents, foldedCase } from '@assay/documents'
import type { Clock } from '@assay/service-kit'
import { notificationKeys } from '../copies/keys.ts'
import type { Mention } from './names.ts'

const keysAtOnce = 200

/** The mentions in a comment. */
export interface Mentions {
  names: readonly Mention[]
  /** Names in the comment before an edit. Their users were notified then. */
  before: readonly Mention[]
  /** The author of the comment to which this one replies. */
  answered: string | null
}

/** Users with a valid key that may read assets. Case is ignored in names. `answered`: without those who are mentioned. */
export type MentionedUsers = (
  tenant: string,
  mentions: Mentions,
) => Promise<{ mentioned: readonly string[]; answered: readonly string[] }>

export function createMentionedUsers({
  documents,
  clock,
}: {
  documents: Pick<Documents, 'find'>
  clock: Clock
}): MentionedUsers {
  /** The users by their folded names. */
  async function usersOf(tenant: string, folded: readonly string[]): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
    const users = new Map<string, Set<string>>()
    // The end is exclusive, and in whole milliseconds.
    const where = [
      { field: 'foldedUser', in: folded },
      { field: 'isActive', is: true },
      { field: 'validTill', from: clock.now() + 1 },
    ]
    for (let page = 0; ; page += 1) {
      const found = await documents.find(notificationKeys, tenant, { where, page, size: keysAtOnce })
      for (const { user, permissions } of found.documents) {
        if (!permissions.includes('ASSET_VIEW')) continue
        const name = foldedCase(user)
        users.set(name, (users.get(name) ?? new Set()).add(user))
      }
      if (found.documents.length < keysAtOnce) return users
    }
  }

  return async (tenant, { names, before, answered }) => {
    const all = [...names, ...before].flat()
    const folded = [...new Set([...all, ...(answered === null ? [] : [answered])].map(foldedCase))]
    if (folded.length === 0) return { mentioned: [], answered: [] }
    const users = await usersOf(tenant, folded)
    // Only the longest name that belongs to a user.
    const namedBy = (mentions: readonly Mention[]) =>
      new Set(
        mentions.flatMap((candidates) => {
          const known = candidates.map((name) => users.get(foldedCase(name))).find((each) => each !== undefined)
          return [...(known ?? [])]
        }),
      )
    const notified = namedBy(before)
    const mentioned = [...namedBy(names)].filter((user) => !notified.has(user))
    const isKnown = answered !== null && users.get(foldedCase(answered))?.has(answered) && !mentioned.includes(answered)
    return { mentioned, answered: isKnown ? [answered] : [] }
  }
}
