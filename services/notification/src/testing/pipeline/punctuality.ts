import { expect } from 'vitest'
import { settingsKey, settingsOfUsers } from '../../settings/aggregate.ts'
import { defaultSettings, type UserSettings } from '../../settings/quiet-hours.ts'
import type { Digest } from './steps.ts'
import { type Pipeline, tenant } from './world.ts'

const quarter = 15 * 60_000

/** When a digest was last due at a time (epoch milliseconds). Found by looking at the clocks of the zone. */
function lastDue(digest: Digest, { timeZone, digestAt }: UserSettings, now: number): number {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
  const isDue = (time: string) => (digest === 'HOURLY' ? time.endsWith(':00') : time === digestAt)
  let time = Math.floor(now / quarter) * quarter
  while (!isDue(format.format(time))) time -= quarter
  return time
}

/** Checks after each poll that digests are sent when they are due, and not before. */
export function watchDigests({ clock, channels, deliveries, documents }: Pipeline) {
  /** By channel: the digests so far, and until when a digest was asked for or may be late. */
  const seen = new Map<number, number>()
  const asked = new Set<number>()
  let polledAt = clock.time
  let settingsAt = clock.time
  return {
    /** A digest of the channel is sent at the next poll. */
    ask: (channelId: number) => asked.add(channelId),
    /** Digests are due by other settings from now on. */
    reset: () => (settingsAt = clock.time),
    /** `isLate`: a crash interrupted the poll. */
    async check(user: string, isLate: boolean): Promise<void> {
      const settings = (await documents.get(settingsOfUsers, tenant, settingsKey(user)))?.document ?? defaultSettings
      const waiting = (await deliveries()).filter(({ rowKey, digest }) => rowKey !== undefined && digest === undefined)
      for (const { channelId, digest, digests, digestAt } of await channels()) {
        const dueAt = digest === 'NONE' ? 0 : lastDue(digest, settings, clock.time)
        const isOnTime = dueAt > polledAt && dueAt > settingsAt
        if (digests > (seen.get(channelId) ?? 0))
          expect([channelId, isOnTime || asked.has(channelId)]).toEqual([channelId, true])
        const own = waiting.filter((each) => each.channelId === channelId)
        // It is due again at once if a crash interrupted it.
        const isDue = isLate || (digestAt !== null && Date.parse(digestAt) <= clock.time)
        if (!isDue && isOnTime) expect(own.filter(({ createdAt }) => Date.parse(createdAt) < dueAt)).toEqual([])
        seen.set(channelId, digests)
        if (isDue) asked.add(channelId)
        else asked.delete(channelId)
      }
      polledAt = clock.time
    },
  }
}
