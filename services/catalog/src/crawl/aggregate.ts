import { type Crawl, crawl } from '@assay/contracts'
import { type DocumentPut, defineCollection, documentPut, type Source } from '@assay/documents'
import type { Aggregate, AggregateKey } from '@assay/event-store'
import { openWorkPut } from '@assay/work'
import { z } from 'zod'
import { type CrawlEvent, type CrawlState, evolveCrawl, initialCrawl, type KnownCrawl } from './crawl.ts'
import { type CrawlCommand, decideCrawl } from './decide.ts'

const crawlDocument = z.object({
  record: crawl,
  lastTable: z.string().nullable(),
})
export type CrawlDocument = z.infer<typeof crawlDocument>

export const crawls = defineCollection<CrawlDocument>({
  name: 'crawls',
  version: 3,
  idType: 'integer',
  schema: crawlDocument,
  fields: {
    assemblyId: { type: 'integer', of: ({ record }) => record.assemblyId },
    status: { type: 'text', of: ({ record }) => record.status },
    startedAt: { type: 'text', of: ({ record }) => record.startedAt },
  },
})

/** The `kind` of crawls in `openWork`. */
export const crawlWork = 'crawl'

const shownStatus = { running: 'RUNNING', successful: 'SUCCESSFUL', failed: 'FAILED', aborted: 'ABORTED' } as const

/** The record of a crawl. */
export function crawlRecordOf(state: KnownCrawl): Crawl {
  const { id, assemblyId, startedAt, finishedAt, counts, errors, skipped } = state
  const { found, done, added, changed, removed, failed, errorCount, skippedCount } = counts
  const figures = { found, added, changed, removed, failed, done }
  return {
    id,
    assemblyId,
    status: shownStatus[state.status],
    startedAt,
    finishedAt,
    ...figures,
    errors,
    errorCount,
    skipped,
    skippedCount,
  }
}

function documents(state: CrawlState, { tenant }: AggregateKey, source: Source): DocumentPut[] {
  if (state.status === 'absent') return []
  const { id, startedAt: since, work, lastTable } = state
  return [
    documentPut(crawls, tenant, id, { record: crawlRecordOf(state), lastTable }, source),
    openWorkPut({ kind: crawlWork, tenant, id, since }, work, source),
  ]
}

/** One crawl of all tables of an assembly. */
export const crawlAggregate: Aggregate<CrawlState, CrawlCommand, CrawlEvent> = {
  category: 'crawl',
  decider: { initialState: initialCrawl, decide: decideCrawl, evolve: evolveCrawl },
  schemaVersion: 2,
  documents,
}
