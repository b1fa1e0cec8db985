import type { Documents } from '@assay/documents'
import { isoTime } from '@assay/service-kit'
import { mutesOfUsers } from '../mute/aggregate.ts'
import type { Mute } from '../mute/mute.ts'
import { settingsKey, settingsOfUsers } from '../settings/aggregate.ts'
import { defaultSettings, type UserSettings } from '../settings/quiet-hours.ts'

const mutesAtOnce = 1_000

/** The active mutes and the settings of at most 500 users, in two queries. */
export async function wishesOf(
  documents: Pick<Documents, 'find'>,
  tenant: string,
  users: readonly string[],
  now: number,
): Promise<{ mutesOf: (user: string) => readonly Mute[]; settingsOf: (user: string) => UserSettings }> {
  const where = [
    { field: 'user', in: users },
    // By the minute, so that the query stays the same: `mutes` compares the time itself.
    { field: 'until', from: isoTime(now - (now % 60_000)) },
  ]
  // The order of an index, so that no other has to be found for a single user.
  const sort = [{ field: 'until', direction: 'asc' as const }]
  const found: Mute[] = []
  for (let page = 0; ; page += 1) {
    const { documents: some } = await documents.find(mutesOfUsers, tenant, { where, sort, page, size: mutesAtOnce })
    found.push(...some)
    if (some.length < mutesAtOnce) break
  }
  const byUser = Map.groupBy(found, ({ user }) => user)
  const keys = users.map(settingsKey)
  const ofUsers = await documents.find(settingsOfUsers, tenant, {
    where: [{ field: 'id', in: keys }],
    size: keys.length,
  })
  const settings = new Map(ofUsers.documents.map((each) => [each.user, each]))
  return {
    mutesOf: (user) => byUser.get(user) ?? [],
    settingsOf: (user) => settings.get(user) ?? defaultSettings,
  }
}
