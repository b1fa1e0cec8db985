import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { profileOperations as operations, type TableMessage } from '@assay/contracts'
import { createCommandHandler } from '@assay/event-store'
import { AssayError } from '@assay/service-kit/errors'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { assetProfiles } from '../asset-profiles/aggregate.ts'
import { executionTables } from '../copies/tables.ts'
import { tableFixture } from '../testing/fixtures.ts'
import { bodyOf, eventually, type Harness, openHarness } from '../testing/harness.ts'
import { createProfileStates } from './profile-states.ts'
import { createRetention } from './retention.ts'

let harness: Harness
beforeEach(async () => {
  harness = await openHarness()
  await table()
})
afterEach(() => harness.close())
const dayMs = 86_400_000
const retentionDays = 30

async function table(changes: Partial<TableMessage> = {}) {
  const message = tableFixture(changes)
  await harness.table(message)
  await eventually(
    () => harness.deps.documents.get(executionTables, 'default', message.assetId),
    (copy) => copy?.document.table.revision === message.revision,
  )
}
async function started(data: object, assetId: number): Promise<number> {
  const body = { data: { profilingType: 'INCREMENTAL', ...data } }
  return bodyOf(await harness.call(operations.startProfile, { params: { id: assetId }, body })).data.id
}
async function profiled(data: object = {}, assetId = 11): Promise<number> {
  const id = await started(data, assetId)
  await eventually(
    async () => (await harness.deps.documents.get(assetProfiles, 'default', id))?.document,
    (profile) => profile?.status === 'succeeded',
  )
  return id
}
/** The ids of the profiles that have a file with their states. */
const withStates = async (assetId = 11) =>
  (await harness.artifacts.list(`default/profiles/${assetId}`)).flatMap(({ key }) => {
    const [, , , id, file] = key.split('/')
    return file === 'state.json' ? [Number(id)] : []
  })
const removals = async () =>
  (await harness.deps.store.readAll({ categories: ['assetprofiles'] })).events.filter(
    ({ type }) => type === 'ProfileStatesRemoved',
  )
const retention = (changes: Partial<Parameters<typeof createRetention>[0]> = {}) =>
  createRetention({ ...harness.deps, commands: createCommandHandler(harness.deps), retentionDays, ...changes })

/** Two profiles that continue each other, and one with another marker. */
async function threeProfiles() {
  const first = await profiled()
  const second = await profiled()
  const markerConfig = { type: 'bound', idColumnName: 'order_id', fromId: 0 }
  const other = await profiled({ markerConfig })
  return { first, second, other }
}

describe('the states of a profile', () => {
  it('are removed after the retention if a later profile replaces them, and its figures stay', async () => {
    const { first, second, other } = await threeProfiles()
    harness.clock.time += retentionDays * dayMs - 1
    await retention().sweep()
    expect(await withStates()).toEqual([first, second, other])
    harness.clock.time += 1
    await retention().sweep()
    expect(await withStates()).toEqual([second, other])
    const read = await harness.call(operations.getProfileResult, { params: { id: 11, profileId: first } })
    expect(bodyOf(read).data.rows).toBe(3)
    await retention().sweep()
    expect(await removals()).toMatchObject([{ data: { assetId: 11, profileIds: [first] } }])
  })

  it('given a later profile that failed, or one of earlier rows only, then the last states stay', async () => {
    const last = await profiled()
    await profiled({
      profilingType: 'SELECTIVE',
      markerConfig: { type: 'id', idColumnName: 'order_id', fromId: 1, toId: 2, baseAssetId: null },
    })
    harness.engine.behave({ kind: 'fail', error: new AssayError('unprocessable', 'The disk failed.') })
    await started({}, 11)
    await eventually(
      async () => (await harness.deps.documents.find(assetProfiles, 'default', { size: 9 })).documents,
      (all) => all.some(({ status }) => status === 'failed'),
    )
    harness.clock.time += 2 * retentionDays * dayMs
    await retention().sweep()
    expect(await withStates()).toEqual([last])
  })

  it('given a deleted table, then all are removed by the next sweep, with what interrupted attempts left', async () => {
    const { first } = await threeProfiles()
    const stage = await harness.artifacts.stage('default')
    await writeFile(join(stage.folder, 'state.json'), '{}')
    await stage.commit(`default/profiles/11/${first}.attempt-2`)
    const live = await profiled({}, await other(30))
    await table({ revision: 2, isDeleted: true, deletedWith: 'assembly', deletedAt: '2026-11-20T10:00:00.000Z' })
    await retention().sweep()
    expect(await withStates()).toEqual([])
    expect(await harness.artifacts.list(`default/profiles/11/${first}.attempt-2`)).toEqual([])
    expect(await withStates(30)).toEqual([live])
  })

  it('given a table that is missing in its source, then they stay until the retention, because it may return', async () => {
    const id = await profiled()
    await table({ revision: 2, isDeleted: true, deletedAt: new Date(harness.clock.time).toISOString() })
    harness.clock.time += retentionDays * dayMs - 1
    await retention().sweep()
    expect(await withStates()).toEqual([id])
    harness.clock.time += 1
    await retention().sweep()
    expect(await withStates()).toEqual([])
  })

  it('given an open profile, which may be reading them, then they stay until it ends', async () => {
    const first = await profiled()
    const second = await profiled()
    harness.engine.behave({ kind: 'hang' })
    const open = await started({}, 11)
    harness.clock.time += retentionDays * dayMs
    await retention().sweep()
    expect(await withStates()).toEqual([first, second])
    await harness.call(operations.cancelProfile, { params: { profileId: open } })
    await retention().sweep()
    expect(await withStates()).toEqual([second])
  })
})

describe('a sweep of states', () => {
  it('given a process that died in between, and two replicas, then the states are removed once', async () => {
    const { second, other } = await threeProfiles()
    harness.clock.time += retentionDays * dayMs
    const dead = createCommandHandler({
      ...harness.deps,
      commit: () => Promise.reject(new AssayError('unavailable', 'The process was killed.')),
    })
    await retention({ commands: dead }).sweep()
    expect(await withStates()).toEqual([second, other])
    expect(await removals()).toEqual([])
    await Promise.all([retention().sweep(), retention().sweep()])
    expect(await removals()).toHaveLength(1)
  })

  it('given many profiles, then each sweep continues after the last one, also in another process', async () => {
    const ids: number[] = []
    for (const assetId of [30, 31, 32]) ids.push(await profiled({}, await other(assetId)))
    const looked: number[][] = []
    const sweep = async () => {
      harness.clock.time += 1
      const seen: number[] = []
      looked.push(seen)
      const states = createProfileStates({
        ...harness.deps,
        ...{ commands: createCommandHandler(harness.deps), retentionDays, perSweep: 2 },
        fence: () => 0,
        each: async (all, _, work) => {
          for await (const found of all) {
            seen.push(Number(found.id))
            await work(found)
          }
        },
      })
      await states.remove()
    }
    for (let time = 0; time < 3; time += 1) await sweep()
    expect(looked).toEqual([ids.slice(0, 2), ids.slice(2), ids.slice(0, 2)])
  })
})

async function other(assetId: number): Promise<number> {
  await table({ assetId, uid: `sales.${assetId}.csv` })
  return assetId
}
