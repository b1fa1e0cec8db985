import type { Documents } from '@assay/documents'
import { type CommandHandler, createCommandHandler, createCommit, createNumberBlocks } from '@assay/event-store'
import { AssayError } from '@assay/service-kit/errors'
import { systemClock, systemTimers, uuidV7 } from '@assay/service-kit/node'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { assets } from '../asset/collections.ts'
import { type OpenCatalog, openCatalog } from '../testing/harness.ts'
import { createObserver, type FoundAsset } from './observer.ts'
import { createUidClaims } from './uid-claims.ts'
import { createUidReservations } from './uid-reservations.ts'

let catalog: OpenCatalog
beforeEach(async () => {
  catalog = await openCatalog()
})
afterEach(() => catalog.close())

const placement = { parentId: null, assetTypeId: 1, assemblyId: 1, assemblyName: 's', sourceTypeId: 1 }

/** An observer as in another process. `before`: runs once, before its first command is handled. */
function observerOf(before: () => Promise<unknown> = async () => {}, documents: Documents = catalog.documents) {
  const { store } = catalog
  const commit = createCommit(store, documents, (error) => {
    throw error
  })
  const ambient = { clock: systemClock, timers: systemTimers, newId: uuidV7 }
  const real = createCommandHandler({ store, documents, commit, ...ambient })
  let isFirst = true
  const handler: CommandHandler = {
    ...real,
    async handle(aggregate, request) {
      if (isFirst) {
        isFirst = false
        await before()
      }
      return real.handle(aggregate, request)
    },
  }
  const numbers = createNumberBlocks({ store, ...ambient })
  const claims = createUidClaims()
  const uidReservations = createUidReservations({ handler: real, clock: systemClock, newId: uuidV7 })
  const tools = { handler, documents, numbers, claims, uidReservations, clock: systemClock }
  const of = { tenant: 'default', assemblyId: 1, uidPrefix: 's', isAlive: async () => true }
  return createObserver(tools, { ...of, context: { actor: 'system' } })
}

it('given another instance adds the same folder first, then the second observer reports its id and no change', async () => {
  const found: FoundAsset = { kind: 'container', parts: ['2026'], placement, columns: [], facts: null }
  const first: { id: number; outcome: string }[] = []
  const late = observerOf(async () => first.push(await observerOf().observe(found)))
  const observed = await late.observe(found)
  expect(first).toMatchObject([{ outcome: 'added' }])
  expect(observed).toMatchObject({ id: first[0]?.id, outcome: 'unchanged' })
  expect((await catalog.documents.find(assets, 'default', { size: 10 })).documents).toMatchObject([{ id: observed.id }])
})

it('given a read that fails after the UIDs of columns were claimed, then the next attempt assigns the same UIDs', async () => {
  let fails = true
  const find: Documents['find'] = async (collection, tenant, query) => {
    if (!fails || !JSON.stringify(query).includes('s.a.id')) return catalog.documents.find(collection, tenant, query)
    fails = false
    throw new AssayError('unavailable', 'The documents did not answer.')
  }
  const observer = observerOf(undefined, { ...catalog.documents, find })
  const columns = ['id', 'name'].map((name) => ({ path: [name], dataType: 'BIGINT', nullable: true }))
  const found: FoundAsset = { kind: 'table', parts: ['a'], placement, columns, facts: null }
  await expect(observer.observe(found)).rejects.toMatchObject({ code: 'unavailable' })
  await observer.observe(found)
  const sort = [{ field: 'uid', direction: 'asc' } as const]
  const { documents } = await catalog.documents.find(assets, 'default', { sort, size: 10 })
  expect(documents.map(({ uid }) => uid)).toEqual(['s.a', 's.a.id', 's.a.name'])
})
