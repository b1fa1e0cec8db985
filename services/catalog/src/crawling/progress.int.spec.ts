import { createCommandHandler, createCommit } from '@assay/event-store'
import { isoTime } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { systemClock, systemTimers, uuidV7 } from '@assay/service-kit/node'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { crawlAggregate } from '../crawl/aggregate.ts'
import type { CrawlCommand } from '../crawl/decide.ts'
import { type OpenCatalog, openCatalog } from '../testing/harness.ts'
import { createCrawlProgress } from './progress.ts'

let catalog: OpenCatalog
beforeEach(async () => {
  catalog = await openCatalog()
})
afterEach(() => catalog.close())

it('given a failed report, and a crawl that ends during the next report, then each error is recorded once', async () => {
  // Otherwise the service's worker would claim the crawl.
  await catalog.service.stop()
  const { store, documents } = catalog
  let isUnavailable = false
  let isSlow = false
  const arrived = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<void>()
  const write = createCommit(store, documents, () => {})
  const handler = createCommandHandler({
    ...{ store, documents, clock: systemClock, timers: systemTimers, newId: uuidV7 },
    commit: async (append, puts) => {
      if (isUnavailable) throw new AssayError('unavailable', 'The log did not answer.')
      if (isSlow) {
        arrived.resolve()
        await answer.promise
      }
      return write(append, puts)
    },
  })
  const context = { actor: 'system' }
  const send = async (command: CrawlCommand) =>
    (await handler.handle(crawlAggregate, { tenant: 'default', id: 7, command, context })).state
  const at = isoTime(Date.now())
  const until = isoTime(Date.now() + 20_000)
  await send({ type: 'StartCrawl', at, crawlId: 7, assemblyId: 1, by: 'ann' })
  const crawl = await send({ type: 'ClaimCrawl', worker: 'w', at, until })
  if (crawl.status === 'absent') throw new Error('absent')
  const progress = createCrawlProgress({ handler, clock: systemClock }, { tenant: 'default', crawl, fence: 1, context })

  progress.addError({ path: 'a.csv', message: 'is cut off' })
  isUnavailable = true
  await expect(progress.report(at, until)).rejects.toThrow('The log did not answer.')
  isUnavailable = false
  isSlow = true
  progress.addError({ path: 'b.csv', message: 'is cut off' })
  const report = progress.report(at, until)
  await arrived.promise
  progress.addError({ path: 'c.csv', message: 'is cut off' })
  const end = progress.end({ kind: 'finished' }, context)
  answer.resolve()
  const [reported, ended] = await Promise.all([report, end])

  expect(reported).toBe('held')
  expect(ended).toMatchObject({ status: 'successful', counts: { errorCount: 3 } })
  expect(ended.status !== 'absent' && ended.errors.map(({ path }) => path)).toEqual(['a.csv', 'b.csv', 'c.csv'])
})
