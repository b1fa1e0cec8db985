import { createCommandHandler, createCommit } from '@assay/event-store'
import { silent } from '@assay/hosting/testing'
import { AssayError } from '@assay/service-kit/errors'
import { systemClock, systemTimers, uuidV7 } from '@assay/service-kit/node'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type OpenCatalog, openCatalog } from '../testing/harness.ts'
import type { Crawler } from './crawler.ts'
import { sweepCrawls } from './sweep.ts'

let catalog: OpenCatalog
beforeEach(async () => {
  catalog = await openCatalog()
})
afterEach(() => catalog.close())

it('given one of two crawls cannot be read, then the other is taken up, and both keep their places', async () => {
  catalog.engine.finds = ['wait']
  for (const name of ['one', 'two']) {
    const body = { name, sourceType: 'FILE', configuration: { path: '/data' } }
    await catalog.call('createAssembly', { body })
  }
  const { store, documents } = catalog
  const ambient = { clock: systemClock, timers: systemTimers, newId: uuidV7 }
  const commit = createCommit(store, documents, (error) => {
    throw error
  })
  const handler = createCommandHandler({ store, documents, commit, ...ambient })
  const tried: number[] = []
  const released: number[] = []
  const crawler: Pick<Crawler, 'takeUp' | 'isRunningHere' | 'release'> = {
    isRunningHere: (_tenant, id) => tried.indexOf(id) > 0,
    async release(_tenant, _assemblyId, id) {
      released.push(id)
    },
    async takeUp(_tenant, { id }) {
      tried.push(id)
      if (tried.length === 1) throw new AssayError('internal', 'The stream of the crawl is damaged.')
    },
  }
  await sweepCrawls({ handler, documents, clock: systemClock, logger: silent, crawler }, { first: true })
  const running = [(await catalog.lastCrawl(1)).id, (await catalog.lastCrawl(2)).id]
  expect(tried.toSorted()).toEqual(running.toSorted())
  expect(released).toEqual([])
  for (const id of running)
    expect((await catalog.call('getCrawl', { params: { id: String(id) } })).body.data.status).toBe('RUNNING')
})
