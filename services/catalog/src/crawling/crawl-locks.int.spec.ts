import { type CommandHandler, createCommandHandler, createCommit, createNumberBlocks } from '@assay/event-store'
import { silent } from '@assay/hosting/testing'
import { isoTime } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { systemClock, systemTimers, uuidV7 } from '@assay/service-kit/node'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { assemblyAggregate } from '../assembly/aggregate.ts'
import { type OpenCatalog, openCatalog } from '../testing/harness.ts'
import { createCrawlLocks } from './crawl-locks.ts'

let catalog: OpenCatalog
beforeEach(async () => {
  catalog = await openCatalog()
})
afterEach(() => catalog.close())

it('given interrupted starts of two crawls, when one assembly cannot be read, then the crawl of the other assembly starts', async () => {
  const { store, documents } = catalog
  const ambient = { clock: systemClock, timers: systemTimers, newId: uuidV7 }
  const commit = createCommit(store, documents, () => {})
  const handler = createCommandHandler({ store, documents, commit, ...ambient })
  const context = { actor: 'ann' }
  const ids: number[] = []
  for (const [index, name] of ['one', 'two'].entries()) {
    const { id, crawl } = await catalog.assembly(name)
    ids.push(id)
    const command = { type: 'BeginCrawl', at: isoTime(0), by: 'ann', crawlId: 50 + index, replaces: crawl.id } as const
    await handler.handle(assemblyAggregate, { tenant: 'default', id, command, context })
  }
  await catalog.service.stop()
  const damaged: CommandHandler = {
    ...handler,
    load: async (aggregate, tenant, id) => {
      if (id === ids[0]) throw new AssayError('internal', 'The stream of the assembly is damaged.')
      return handler.load(aggregate, tenant, id)
    },
  }
  const started: number[] = []
  const locks = createCrawlLocks({
    ...{ documents, numbers: createNumberBlocks({ store, ...ambient }), clock: systemClock, logger: silent },
    ...{ handler: damaged, isSole: false, onStarted: (_, { id }) => void started.push(id) },
  })
  await locks.repair(() => true)
  expect(started).toEqual([51])
})
