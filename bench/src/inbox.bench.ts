import { randomUUID } from 'node:crypto'
import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { bareInserts } from './inbox-baseline.ts'
import { blockedDuring, cpuMsSince, seenNotifications } from './inbox-seen.ts'
import { type Inbox, openInbox, type WatchOf } from './inbox-service.ts'
import { type BenchRow, quantile } from './ratio.ts'

const watched = Number(process.env.BENCH_INBOX_WATCHES ?? 10_000)
const perSecond = Number(process.env.BENCH_INBOX_RATE ?? 1_000)
const seconds = Number(process.env.BENCH_INBOX_SECONDS ?? 10)
const firstAsset = 1_000_000
const maxWaitMs = 120_000
const user = (n: number) => `user-${n}`
const load = () => `load ${loadavg()[0]?.toFixed(1)}`

async function reached(seen: readonly unknown[], count: number): Promise<void> {
  const until = performance.now() + maxWaitMs
  while (seen.length < count) {
    if (performance.now() > until) throw new Error(`Only ${seen.length} of ${count} notifications were created.`)
    await sleep(2)
  }
}

async function withInbox<T>(watches: readonly WatchOf[], work: (inbox: Inbox, seen: Seen['seen']) => Promise<T>) {
  const inbox = await openInbox(watches)
  const following = seenNotifications(inbox.store)
  try {
    return await work(inbox, following.seen)
  } finally {
    await following.stop()
    await inbox.close()
  }
}
type Seen = ReturnType<typeof seenNotifications>

/** One event for `watched` users. */
function fanOut(): Promise<BenchRow[]> {
  const watches = Array.from({ length: watched }, (_, n) => ({ user: user(n), assetId: firstAsset }))
  return withInbox(watches, async (inbox, seen) => {
    const cpu = process.cpuUsage()
    const {
      max,
      p99,
      result,
      cpu: turns,
    } = await blockedDuring(async () => {
      const began = performance.now()
      await inbox.tag([{ id: randomUUID(), assetId: firstAsset }])
      await reached(seen, watched)
      return performance.now() - began
    })
    const cpuMs = cpuMsSince(cpu)
    const bare = bareInserts(inbox.path, watched)
    return [
      {
        name: `one event for ${watched} watchers, against bare inserts`,
        ratio: result / bare,
        target: 'within 5 s',
        detail: `${(result / 1_000).toFixed(2)} s, CPU ${(cpuMs / 1_000).toFixed(2)} s, bare inserts ${(bare / 1_000).toFixed(2)} s, ${load()}`,
      },
      {
        name: 'event loop blocked meanwhile, of 20 ms',
        ratio: max / 20,
        target: '<= 1',
        detail: `longest ${max.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms; CPU of a turn: longest ${quantile(turns, 1).toFixed(0)} ms, p99 ${quantile(turns, 0.99).toFixed(0)} ms`,
      },
    ]
  })
}

/** Events about one watched table each. First all concurrently, then at an even pace. */
function stream(): Promise<BenchRow[]> {
  const watches = Array.from({ length: watched }, (_, n) => ({ user: user(n % 1_000), assetId: firstAsset + n }))
  const eventsFrom = (from: number, count: number) =>
    Array.from({ length: count }, (_, n) => ({ id: randomUUID(), assetId: firstAsset + ((from + n) % watched) }))
  return withInbox(watches, async (inbox, seen) => {
    const burst = perSecond * 3
    const began = performance.now()
    const cpu = process.cpuUsage()
    await inbox.tag(eventsFrom(0, burst))
    await reached(seen, burst)
    const sustained = (burst / (performance.now() - began)) * 1_000
    const cpuOfEach = cpuMsSince(cpu) / burst
    const bare = (burst / bareInserts(inbox.path, burst)) * 1_000
    // The notifications of the burst are public events too, which are still being stored for readers.
    await sleep(burst)
    const sentAt = new Map<string, number>()
    const count = perSecond * seconds
    const start = performance.now()
    for (let sent = 0; sent < count; ) {
      const due = Math.min(count, Math.floor(((performance.now() - start) / 1_000) * perSecond))
      const events = eventsFrom(sent, due - sent)
      // When an event was due, even if this loop was late to send it.
      for (const [n, { id }] of events.entries()) sentAt.set(id, start + ((sent + n) * 1_000) / perSecond)
      sent = due
      if (events.length > 0) void inbox.tag(events)
      await sleep(5)
    }
    await reached(seen, burst + count)
    const delays = seen.slice(burst).map(({ eventId, at }) => at - (sentAt.get(eventId) ?? 0))
    const p99 = quantile(delays, 0.99)
    return [
      {
        name: 'events a second to one watcher each: bare inserts against notifications',
        ratio: bare / sustained,
        target: `${perSecond} a second`,
        detail: `${Math.round(sustained)} events/s, ${cpuOfEach.toFixed(2)} ms of CPU each, ${Math.round(bare)} bare inserts/s, ${load()}`,
      },
      {
        name: `event to visible notification at ${perSecond} events/s, ${watched} watches, p99 of 250 ms`,
        ratio: p99 / 250,
        target: '<= 1',
        detail: `p50 ${Math.round(quantile(delays, 0.5))} ms, p99 ${Math.round(p99)} ms`,
      },
    ]
  })
}

/** From a public event of the catalog to the notifications in the lists of watchers. */
export async function benchInbox(): Promise<BenchRow[]> {
  return [...(await fanOut()), ...(await stream())]
}
