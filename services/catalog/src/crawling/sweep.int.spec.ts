import { silent } from '@assay/hosting/testing'
import { AssayError } from '@assay/service-kit/errors'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type OpenCatalog, openCatalog } from '../testing/harness.ts'
import { sweepCrawls } from './sweep.ts'

let catalog: OpenCatalog
beforeEach(async () => {
  catalog = await openCatalog()
})
afterEach(() => catalog.close())

it('given one of two open crawls cannot be read, then the other is looked after; what has ended is not looked at', async () => {
  await catalog.assembly('ended')
  catalog.engine.finds = ['wait']
  const open: number[] = []
  for (const name of ['one', 'two']) {
    const body = { name, sourceType: 'FILE', configuration: { path: '/data' } }
    open.push((await catalog.call('createAssembly', { body })).body.data.id)
  }
  const tried: number[] = []
  const crawler = {
    async lookAfter(_tenant: string, assemblyId: number) {
      tried.push(assemblyId)
      if (tried.length === 1) throw new AssayError('internal', 'The stream of the crawl is damaged.')
    },
  }
  await sweepCrawls({ documents: catalog.documents, logger: silent, crawler }, { isSole: true })
  expect(tried.toSorted()).toEqual(open)
})
