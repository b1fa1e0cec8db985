import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '@assay/sqlite'
import { expect, it } from 'vitest'
import { eventStoreFeatures } from '../testing/index.ts'
import { newEvents } from '../testing/new-events.ts'
import { createSqliteEventStore } from './event-store.ts'

eventStoreFeatures('SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-events-'))
  const open = () => {
    const database = openDatabase({ path: join(folder, 'events.db') })
    return { database, store: createSqliteEventStore({ database, clock: { now: Date.now } }) }
  }
  let current = open()
  const close = async (): Promise<void> => {
    await current.store.close()
    await current.database.close()
  }
  return {
    store: current.store,
    async reopen() {
      await close()
      current = open()
      return current.store
    },
    async close() {
      await close()
      rmSync(folder, { recursive: true })
    },
  }
})

it('given 20,500 events of another category, when a category is read, then the second page has its events', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-events-'))
  const database = openDatabase({ path: join(folder, 'events.db') })
  const store = createSqliteEventStore({ database, clock: { now: Date.now } })
  for (let n = 0; n < 20_500; n += 500) await store.append('acme/other-1', newEvents(500), 'any')
  await store.append('acme/thing-1', newEvents(1), 'none')
  const first = await store.readAll({ categories: ['thing'] })
  expect([first.events.length, first.atEnd]).toEqual([0, false])
  const second = await store.readAll({ categories: ['thing'], after: first.position })
  expect([second.events.length, second.atEnd]).toEqual([1, true])
  await store.close()
  await database.close()
  rmSync(folder, { recursive: true })
})

it('given a burst of appends, when a subscription follows it, then it reads many events at once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-events-'))
  const database = openDatabase({ path: join(folder, 'events.db'), synchronous: 'NORMAL' })
  const store = createSqliteEventStore({ database, clock: { now: Date.now } })
  const stopping = new AbortController()
  const burst = (async () => {
    for (let n = 0; n < 50; n += 1) await store.append('acme/thing-1', newEvents(1), 'any')
  })()
  const sizes: number[] = []
  for await (const { events } of store.subscribe({ signal: stopping.signal })) {
    sizes.push(events.length)
    if (sizes.reduce((sum, size) => sum + size, 0) === 50) stopping.abort()
  }
  await burst
  expect(sizes.length).toBeLessThan(10)
  await store.close()
  await database.close()
  rmSync(folder, { recursive: true })
})
