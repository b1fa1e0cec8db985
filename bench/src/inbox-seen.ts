import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { EventStore } from '@assay/event-store'

/** Follows notifications in the log. Their documents share the commit, so they are visible from then on. */
export function seenNotifications(store: Pick<EventStore, 'subscribe'>) {
  const stopping = new AbortController()
  const seen: { eventId: string; at: number }[] = []
  const following = (async () => {
    for await (const { events } of store.subscribe({ categories: ['notification'], signal: stopping.signal })) {
      const at = performance.now()
      for (const { type, metadata } of events)
        if (type === 'NotificationCreated') seen.push({ eventId: metadata.causationId ?? '', at })
    }
  })()
  return {
    seen,
    async stop() {
      stopping.abort()
      await following
    },
  }
}

/** The CPU time of this process since `begin`, in milliseconds. Includes work after `seen`, if it has already run. */
export function cpuMsSince(begin: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(begin)
  return (user + system) / 1_000
}

/** The longest time and the 99th percentile for which the event loop was blocked while `work` ran, in milliseconds. */
export async function blockedDuring<T>(work: () => Promise<T>): Promise<{ result: T; max: number; p99: number }> {
  const resolutionMs = 1
  const delays = monitorEventLoopDelay({ resolution: resolutionMs })
  delays.enable()
  try {
    const result = await work()
    const inMs = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - resolutionMs)
    return { result, max: inMs(delays.max), p99: inMs(delays.percentile(99)) }
  } finally {
    delays.disable()
  }
}
