import { type Commit, observedCommit } from '@assay/event-store'
import { type Metrics, workBuckets } from '@assay/service-kit'
import { z } from 'zod'
import { crawls } from './crawl/aggregate.ts'

const fenced = z.object({ fence: z.int() })
const ended = z.object({
  record: z.object({
    status: z.enum(['SUCCESSFUL', 'FAILED', 'ABORTED']),
    startedAt: z.string(),
    finishedAt: z.string(),
    added: z.int(),
    changed: z.int(),
    removed: z.int(),
    failed: z.int(),
  }),
})

/** Counts crawls when their events are written. Each event counts once, in the replica that writes it. */
export function measuredCrawls(commit: Commit, metrics: Metrics): Commit {
  const started = metrics.counter({ name: 'assay_crawls_started_total', help: 'Crawls that were started.' })
  const ends = metrics.counter({
    name: 'assay_crawls_ended_total',
    help: 'Crawls that ended. State: SUCCESSFUL, FAILED, ABORTED.',
    labels: ['state'],
  })
  const durations = metrics.histogram({
    name: 'assay_crawl_duration_seconds',
    help: 'Time from the start of a crawl to its end, including the time that it waited.',
    buckets: workBuckets,
  })
  const tables = metrics.counter({
    name: 'assay_crawled_tables_total',
    help: 'Tables that ended crawls found. Change: added, changed, removed, failed.',
    labels: ['change'],
  })
  const takenOver = metrics.counter({
    name: 'assay_work_taken_over_total',
    help: 'Work that was claimed again after its worker died, stopped or lost its lease.',
    labels: ['work'],
  })
  takenOver.add({ work: 'crawl' }, 0)
  for (const state of ['SUCCESSFUL', 'FAILED', 'ABORTED']) ends.add({ state }, 0)

  return observedCommit(commit, ({ type, data }, puts) => {
    switch (type) {
      case 'CrawlStarted':
        started.add({})
        break
      case 'CrawlClaimed': {
        const claim = fenced.safeParse(data)
        if (claim.success && claim.data.fence > 1) takenOver.add({ work: 'crawl' })
        break
      }
      case 'CrawlFinished':
      case 'CrawlFailed':
      case 'CrawlAborted': {
        const crawl = ended.safeParse(puts.find(({ collection }) => collection.name === crawls.name)?.document)
        if (!crawl.success) break
        const { status, startedAt, finishedAt, added, changed, removed, failed } = crawl.data.record
        ends.add({ state: status })
        durations.observe({}, Math.max(0, Date.parse(finishedAt) - Date.parse(startedAt)) / 1000)
        for (const [change, count] of Object.entries({ added, changed, removed, failed })) tables.add({ change }, count)
        break
      }
      default:
    }
  })
}
