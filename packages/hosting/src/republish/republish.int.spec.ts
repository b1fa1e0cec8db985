import { createSqliteDocuments } from '@assay/documents/sqlite'
import { checkpointCollections, createDocumentCheckpoints } from '@assay/event-store'
import { createSqliteCheckpoints } from '@assay/event-store/sqlite'
import { openDatabase } from '@assay/sqlite'
import { expect, test } from 'vitest'
import { republish } from './republish.ts'

const inMemory = () => openDatabase({ path: ':memory:' })
const overDocuments = () =>
  createDocumentCheckpoints(createSqliteDocuments({ database: inMemory(), collections: checkpointCollections }))

test.each([
  ['a SQLite file', () => createSqliteCheckpoints(inMemory())],
  ['documents', overDocuments],
])(
  'given checkpoints in %s, when everything is republished, then publishers restart and other processors continue',
  async (_, open) => {
    const checkpoints = open()
    const stores = { here: checkpoints, empty: overDocuments() }
    for (const name of ['catalog-publisher', 'catalog-repair']) {
      await checkpoints.begin(name, 3)
      await checkpoints.set(name, '0007', 3)
    }
    const said: string[] = []
    const run = async () => {
      for await (const line of republish(Object.keys(stores), async (name) => ({
        checkpoints: name === 'here' ? stores.here : stores.empty,
        close: async () => undefined,
      })))
        said.push(line)
    }
    await run()
    expect(said).toEqual(['catalog-publisher will publish its whole log again.\n'])
    expect(await checkpoints.begin('catalog-publisher', 4)).toBeUndefined()
    expect(await checkpoints.get('catalog-repair')).toBe('0007')
    await expect(run()).rejects.toMatchObject({ code: 'not-found' })
    await checkpoints.set('catalog-publisher', '0001', 4)
    expect(await checkpoints.get('catalog-publisher')).toBe('0001')
  },
)
