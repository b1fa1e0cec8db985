import { rebuild } from '@assay/event-store'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { annotationCollections } from './annotations.ts'
import { catalogAggregates } from './service.ts'
import { type OpenCrm, of, openCrm } from './testing/crm.ts'
import { column, file, folder } from './testing/fake-engine.ts'

let crm: OpenCrm
beforeEach(async () => {
  crm = await openCrm()
})
afterEach(() => crm.close())

it('given annotations, when their documents are rebuilt from the log, then they are the same as before', async () => {
  const { tagId } = await crm.tag(crm.table, { name: 'pii' })
  await crm.ask('deleteAssetTag', of(crm.table, { params: { tagId: String(tagId) } }))
  await crm.ask('updateAssetLabels', of(crm.table, { body: { labels: [{ key: 'a', value: '1' }] } }))
  await crm.ask('addAssetComment', of(crm.table, { body: { comment: 'hi' } }))
  await crm.ask('voteOnAsset', of(crm.table, { body: { vote: 'UP' } }))
  await crm.ask('updateAssetConfiguration', of(crm.table, { body: { owner: 'ann' } }))
  crm.engine.finds = [folder('in'), file('in/people.csv', [column('id', 'VARCHAR'), column('new')])]
  await crm.crawl((await crm.byUid('crm.in.people.csv')).assembly.id)
  const names = new Set(annotationCollections.map(({ name }) => name))
  const rebuilt = new Map<string, unknown>()
  await rebuild({
    store: crm.store,
    aggregates: catalogAggregates,
    collections: annotationCollections,
    target: {
      begin: async () => {},
      put: async (puts) => {
        for (const { collection, id, document, source } of puts)
          if (names.has(collection.name) && document !== null)
            rebuilt.set(`${collection.name}/${id}`, [document, source])
      },
      commit: async () => {},
    },
  })
  const stored = new Map<string, unknown>()
  for (const collection of annotationCollections)
    for await (const { id, document, source } of crm.documents.scan(collection))
      stored.set(`${collection.name}/${id}`, [document, source])
  expect([...rebuilt].sort()).toEqual([...stored].sort())
  expect(stored.size).toBeGreaterThan(10)
})
