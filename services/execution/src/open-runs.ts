import type { Documents } from '@assay/documents'
import { type Clock, type Logger, type Metrics, messageOf, type Timers } from '@assay/service-kit'
import { countOpenWork } from '@assay/work'
import { runWork } from './execution/execution.documents.ts'

const countMs = 15_000

/**
 * Reports the numbers of waiting and running runs of all tenants, and the age of the oldest waiting run. Every replica
 * reports all of them, so an autoscaler can read any replica.
 */
export function reportOpenRuns(deps: {
  documents: Pick<Documents, 'find'>
  metrics: Metrics
  clock: Clock
  timers: Timers
  logger: Logger
}): { start(): void; stop(): Promise<void> } {
  const { documents, metrics, clock, timers, logger } = deps
  let open: Awaited<ReturnType<typeof countOpenWork>> | undefined
  let counting: Promise<void> | undefined
  let timer: { stop(): void } | undefined

  const runs = metrics.gauge({
    name: 'assay_runs',
    help: 'Open runs of all replicas. State: waiting, running. Take the maximum over replicas.',
    labels: ['state'],
  })
  runs.read({ state: 'waiting' }, () => open?.waiting ?? Number.NaN)
  runs.read({ state: 'running' }, () => open?.running ?? Number.NaN)
  metrics
    .gauge({
      name: 'assay_oldest_waiting_run_age_seconds',
      help: 'Waiting time of the oldest waiting run; 0 if none waits. Take the maximum over replicas.',
    })
    .read({}, () => {
      if (open === undefined) return Number.NaN
      return open.oldestWaitingAt === undefined ? 0 : Math.max(0, clock.now() - open.oldestWaitingAt) / 1000
    })

  function count(): void {
    counting ??= countOpenWork(documents, runWork, clock.now())
      .then(
        (found) => {
          open = found
        },
        (error: unknown) => {
          open = undefined
          logger.debug({ error: messageOf(error) }, 'open runs could not be counted')
        },
      )
      .finally(() => {
        counting = undefined
      })
  }

  return {
    start() {
      timer = timers.every(countMs, count)
      count()
    },
    async stop() {
      timer?.stop()
      await counting
    },
  }
}
