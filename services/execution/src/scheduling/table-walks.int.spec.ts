import { type AssemblyMessage, internalTopics } from '@assay/contracts'
import type { Commit } from '@assay/event-store'
import { AssayError } from '@assay/service-kit/errors'
import { dueBook } from '@assay/work'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { tableCopyPut } from '../copies/tables.ts'
import { tableFixture } from '../testing/fixtures.ts'
import { eventually, type Harness, openHarness } from '../testing/harness.ts'

let harness: Harness
beforeEach(async () => {
  harness = await openHarness()
})
afterEach(() => harness.close())

const tables = Array.from({ length: 1_200 }, (_, index) => 100 + index)
/** The assets whose profile was triggered, as often as it was. */
async function triggered(): Promise<number[]> {
  const { events } = await harness.deps.store.readAll({ categories: ['assetprofiles'], limit: 10_000 })
  return events.flatMap(({ type, data }) => (type === 'ProfileTriggered' ? [Number(data.assetId)] : []))
}
const isDue = async () => (await harness.deps.documents.get(dueBook, 'system', 'table walk/default/2')) !== undefined
const untilTicked = (isSo: () => Promise<boolean>) =>
  eventually(
    async () => {
      harness.timers.tick()
      return isSo()
    },
    (so) => so,
  )

it('given a process that is killed in a walk, then two others continue at its last page, and trigger each table once', async () => {
  harness.engine.behave({ kind: 'hang' })
  await harness.service.stop()
  const of = (assetId: number) => tableFixture({ assetId, uid: `sales.${assetId}.csv`, revision: 1 })
  await harness.deps.documents.put(tables.map((assetId) => tableCopyPut('default', of(assetId), '1')))
  let left = 700
  const commit: Commit = (...call) => {
    if (call[0].stream.includes('assetprofiles')) left -= 1
    return left < 0
      ? Promise.reject(new AssayError('unavailable', 'The process was killed.'))
      : harness.deps.commit(...call)
  }
  const killed = harness.another({ commit })
  await killed.start()
  const lastCrawl = { begunAt: '2026-11-20T09:00:00.000Z', endedAt: '2026-11-20T09:01:00.000Z' }
  const message = { revision: 1, assemblyId: 2, autoAnomaly: false, autoProfile: true, isDeleted: false, lastCrawl }
  await harness.send(internalTopics.assemblies, 2, message satisfies AssemblyMessage)
  await untilTicked(async () => left < 0)
  await killed.stop()
  expect(await isDue()).toBe(true)
  const before = await triggered()
  expect(before.length).toBeGreaterThanOrEqual(600)

  const from: number[] = []
  const find: typeof harness.deps.documents.find = (collection, tenant, query) => {
    for (const condition of query.where ?? [])
      if (collection.name === 'execution_tables' && 'from' in condition) from.push(Number(condition.from))
    return harness.deps.documents.find(collection, tenant, query)
  }
  const documents = { ...harness.deps.documents, find }
  await harness.another({ documents, workerId: 'worker-3' }).start()
  await harness.another({ documents, workerId: 'worker-4' }).start()
  await untilTicked(async () => !(await isDue()))
  expect((await triggered()).toSorted((a, b) => a - b)).toEqual(tables)
  expect(Math.min(...from)).toBe(600)
})
