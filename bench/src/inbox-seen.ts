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

/**
 * How long the event loop was blocked while `work` ran, in milliseconds. `cpu`: the CPU time of this thread between two
 * turns of a timer, which does not count when other processes had the core or the thread waited for the disk.
 */
export async function blockedDuring<T>(work: () => Promise<T>) {
  const resolutionMs = 1
  const delays = monitorEventLoopDelay({ resolution: resolutionMs })
  const cpu: number[] = []
  let last = process.threadCpuUsage()
  const probe = setInterval(() => {
    const { user, system } = process.threadCpuUsage(last)
    cpu.push((user + system) / 1_000)
    last = process.threadCpuUsage()
  }, resolutionMs)
  delays.enable()
  try {
    const result = await work()
    const inMs = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - resolutionMs)
    return { result, max: inMs(delays.max), p99: inMs(delays.percentile(99)), cpu }
  } finally {
    delays.disable()
    clearInterval(probe)
  }
}
