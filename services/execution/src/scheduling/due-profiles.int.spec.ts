import {
  type AssemblyMessage,
  type AssetSettingsMessage,
  internalTopics,
  profileOperations as operations,
} from '@assay/contracts'
import { dueBook, openWork } from '@assay/work'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { assetProfiles } from '../asset-profiles/aggregate.ts'
import { executionAssetSettings } from '../copies/asset-settings.ts'
import { executionDatabases } from '../copies/databases.ts'
import { executionTables } from '../copies/tables.ts'
import { tableFixture } from '../testing/fixtures.ts'
import { bodyOf, eventually, type Harness, openHarness } from '../testing/harness.ts'

let harness: Harness
beforeEach(async () => {
  harness = await openHarness()
})
afterEach(() => harness.close())

const time = (text: string) => `2026-11-20T${text}.000Z`
const now = (text: string) => {
  harness.clock.time = Date.parse(time(text))
}
const table = async (changes: Parameters<typeof tableFixture>[0] = {}) => {
  const message = tableFixture(changes)
  await harness.table(message)
  await eventually(
    () => harness.deps.documents.get(executionTables, 'default', message.assetId),
    (copy) => copy?.document.table.revision === message.revision,
  )
}
const data = (lastChangedAt: string | null) => ({ lastChangedAt, rowCount: 3, sizeBytes: 30, fileCount: 1 })
const copied = (of: () => Promise<{ source: { revision: number } } | undefined>, revision: number) =>
  eventually(of, (copy) => (copy?.source.revision ?? -1) >= revision)
const assembly = async (changes: Partial<AssemblyMessage>) => {
  const message = { revision: 1, assemblyId: 2, autoAnomaly: false, autoProfile: true, isDeleted: false, ...changes }
  await harness.send(internalTopics.assemblies, message.assemblyId, message satisfies AssemblyMessage)
  await copied(() => harness.deps.documents.get(executionDatabases, 'default', message.assemblyId), message.revision)
}
const settings = async (changes: Partial<AssetSettingsMessage>) => {
  const none = { timeZone: null, freshnessColumn: null, referenceAssetId: null }
  const message = { revision: 1, assetId: 11, ...none, ...changes }
  await harness.send(internalTopics.assetSettings, 11, message satisfies AssetSettingsMessage)
  await copied(() => harness.deps.documents.get(executionAssetSettings, 'default', 11), message.revision)
}
const crawl = (revision: number, hour: number) => {
  const lastCrawl = { begunAt: time(`${hour}:00:00`), endedAt: time(`${hour}:01:00`) }
  return assembly({ revision, lastCrawl })
}

/** The profiles of an asset, oldest first. The scheduler checks repeatedly, as it does each second in production. */
const profiles = async (assetId = 11) => {
  harness.timers.tick()
  const where = [{ field: 'assetId', is: assetId }]
  const sort = [{ field: 'id', direction: 'asc' as const }]
  const { documents } = await harness.deps.documents.find(assetProfiles, 'default', { where, sort, size: 100 })
  return documents
}
const ended = (count: number, assetId?: number) =>
  eventually(
    () => profiles(assetId),
    (all) => all.length === count && all.every((one) => 'finishedAt' in one),
  )
let others = 20
/**
 * Waits until the scheduler has handled everything that was due: a new table of another assembly is profiled after all that
 * was triggered before, and schedules are handled before triggers.
 */
const settled = async () => {
  others += 1
  const assetId = others
  await assembly({ assemblyId: 3, revision: assetId })
  await table({ assetId, uid: `other.${assetId}.csv`, assemblyId: 3, revision: 1, data: data(time('09:00:00')) })
  await ended(1, assetId)
}
const untilRunning = () =>
  eventually(
    async () => {
      harness.timers.tick()
      return harness.engine.running()
    },
    (running) => running === 1,
  )
const daily = (profilingType: 'FULL' | 'INCREMENTAL' | null = null) => ({
  profiles: { schedule: { cronExpression: '30 * * * *', timeZone: 'UTC' }, profilingType },
})

const shownSchedule = async () => bodyOf(await harness.call(operations.getProfileSchedule, { params: { id: 11 } }))

describe('an asset with a schedule of profiles', () => {
  it('shows its schedule and the next times, also after it has ended, and an unknown asset is not found', async () => {
    await expect(shownSchedule()).rejects.toMatchObject({ code: 'not-found' })
    await table()
    const none = { scheduled: false, cronExpression: null, timeZone: null, profilingType: null, nextRuns: [] }
    expect(await shownSchedule()).toEqual({ ...none, skipped: [] })
    await settings(daily('FULL'))
    const shown = { scheduled: true, cronExpression: '30 * * * *', timeZone: 'UTC', profilingType: 'FULL' }
    expect(await shownSchedule()).toMatchObject({ ...shown, skipped: [] })
    expect((await shownSchedule()).nextRuns).toHaveLength(5)
    await table({ revision: 2, isDeleted: true })
    expect(await shownSchedule()).toMatchObject(none)
  })

  it('when a downtime lasts more than an hour beyond its time, then the skip is shown with the reason', async () => {
    await table()
    const twiceADay = { cronExpression: '30 10,22 * * *', timeZone: 'UTC' }
    await settings({ profiles: { schedule: twiceADay, profilingType: null } })
    await settled()
    now('12:00:00')
    const { skipped } = await eventually(
      async () => {
        harness.timers.tick()
        return shownSchedule()
      },
      (shown) => shown.skipped.length === 1,
    )
    expect(skipped).toEqual([
      { nominalTime: time('10:30:00'), reason: 'Nothing could start within an hour of this time.' },
    ])
  })

  it('when its time comes, then it is profiled once by two replicas, incrementally where new rows can be told', async () => {
    await table()
    await settings(daily())
    const other = harness.another()
    await other.start()
    await settled()
    now('10:30:00')
    const [profile] = await ended(1)
    expect(profile?.asked).toMatchObject({ profilingType: 'INCREMENTAL', requestedBy: 'scheduler' })
    now('11:30:00')
    expect(await ended(2)).toHaveLength(2)
    await settings({ revision: 2 })
    await settled()
    now('12:30:00')
    await settled()
    expect(await profiles()).toHaveLength(2)
  })

  it('when the settings do not fit to the table, then the profile is shown as failed with the reason', async () => {
    await table()
    await settings({
      ...daily('INCREMENTAL'),
      marker: { type: 'IdMarkerConfig', columnName: 'gone', initialOffset: undefined },
    })
    now('10:30:00')
    const [profile] = await ended(1)
    expect(profile).toMatchObject({ status: 'failed', error: expect.stringContaining('gone') })
  })

  it('when the previous profile is still open, then the time is skipped', async () => {
    await table()
    await settings(daily('FULL'))
    harness.engine.behave({ kind: 'hang' })
    await harness.call(operations.startProfile, { params: { id: 11 }, body: { data: { profilingType: 'FULL' } } })
    now('10:30:00')
    await eventually(
      async () => {
        harness.timers.tick()
        return (await harness.deps.documents.get(dueBook, 'system', 'profile/default/11'))?.document.nextAt
      },
      (nextAt) => nextAt === Date.parse(time('11:30:00')),
    )
    const { skipped, nextRuns } = await shownSchedule()
    expect(skipped).toEqual([{ nominalTime: time('10:30:00'), reason: 'The previous profile has not ended.' }])
    expect(nextRuns.slice(0, 2)).toEqual([time('11:30:00'), time('12:30:00')])
    const [open] = await profiles()
    await harness.call(operations.cancelProfile, { params: { profileId: open?.asked.id ?? 0 } })
    harness.engine.behave({ kind: 'end' })
    now('11:30:00')
    expect((await ended(2)).map(({ status }) => status)).toEqual(['aborted', 'succeeded'])
    expect((await shownSchedule()).skipped).toEqual(skipped)
  })
})

it('given a marker on a protected column, or one that cannot be used, then only profiles that use it are refused', async () => {
  await table()
  const marker = { type: 'IdMarkerConfig', columnName: 'order_id', initialOffset: '9007199254740993' } as const
  await settings({ ...daily('FULL'), marker })
  now('10:30:00')
  expect(await ended(1)).toMatchObject([{ status: 'succeeded' }])
  await settings({ revision: 2, ...daily('INCREMENTAL'), marker })
  now('11:30:00')
  const [, refused] = await ended(2)
  expect(refused).toMatchObject({ status: 'failed', error: expect.stringContaining('marker of the configuration') })
})

it('given a table that is deleted and returns, then its schedule ends and begins again', async () => {
  await table()
  await settings(daily())
  const due = () => harness.deps.documents.get(dueBook, 'system', 'profile/default/11')
  expect(await eventually(due, (entry) => entry !== undefined)).toBeDefined()
  await table({ revision: 2, isDeleted: true })
  await eventually(due, (entry) => entry === undefined)
  await table({ revision: 3 })
  await eventually(due, (entry) => entry !== undefined)
})

describe('a table of an assembly that profiles after crawls', () => {
  it('given a new table, when another crawl changes its data, then it is profiled after each, and not without a change', async () => {
    await assembly({})
    await table({ revision: 1, data: data(time('09:00:00')) })
    const [first] = await ended(1)
    expect(first?.asked).toMatchObject({ profilingType: 'INCREMENTAL', requestedBy: 'crawl' })
    await crawl(2, 11)
    await settled()
    expect(await profiles()).toHaveLength(1)
    await table({ revision: 2, data: data(time('11:30:00')) })
    expect(await ended(2)).toHaveLength(2)
  })

  it('given a table whose changes nobody can tell, then it is profiled once after each crawl', async () => {
    now('10:00:30')
    await assembly({})
    await table({ revision: 1, data: data(null) })
    await ended(1)
    await crawl(2, 10)
    await settled()
    expect(await profiles()).toHaveLength(1)
    now('11:02:00')
    await crawl(3, 11)
    expect(await ended(2)).toHaveLength(2)
    // The same message again, and one without another crawl.
    await crawl(3, 11)
    await crawl(4, 11)
    await settled()
    expect(await profiles()).toHaveLength(2)
  })

  it('given a change during an open profile, then another profile begins after it', async () => {
    await assembly({})
    harness.engine.behave({ kind: 'hang' })
    await table({ revision: 1, data: data(time('09:00:00')) })
    await untilRunning()
    await table({ revision: 2, data: data(time('09:30:00')) })
    harness.engine.behave({ kind: 'end' })
    const [open] = await profiles()
    await harness.call(operations.cancelProfile, { params: { profileId: open?.asked.id ?? 0 } })
    expect((await ended(2)).map(({ status }) => status)).toEqual(['aborted', 'succeeded'])
  })

  it('given a queue, when the assembly is deleted or no longer profiles, then what waits is dropped', async () => {
    await assembly({})
    harness.engine.behave({ kind: 'hang' })
    await table({ revision: 1, data: data(time('09:00:00')) })
    await untilRunning()
    await table({ revision: 2, data: data(time('09:30:00')) })
    const waiting = () => harness.deps.documents.get(dueBook, 'system', 'profile-crawl/default/11')
    expect(await waiting()).toBeDefined()
    await assembly({ revision: 2, autoProfile: false })
    await eventually(
      async () => {
        harness.timers.tick()
        return waiting()
      },
      (entry) => entry === undefined,
    )
    const [open] = await profiles()
    await harness.call(operations.cancelProfile, { params: { profileId: open?.asked.id ?? 0 } })
  })

  it('given many new tables, then only a few of their profiles are open, and all are profiled', async () => {
    await assembly({})
    harness.engine.behave({ kind: 'hang' })
    const ids = Array.from({ length: 9 }, (_, index) => 30 + index)
    for (const assetId of ids)
      await table({ assetId, uid: `sales.${assetId}.csv`, revision: 1, data: data(time('09:00:00')) })
    const open = async () => {
      harness.timers.tick()
      return (await harness.deps.documents.find(openWork, 'system', { where: [], size: 100 })).documents.length
    }
    expect(await eventually(open, (count) => count === 5)).toBe(5)
    harness.engine.behave({ kind: 'end' })
    const [running] = await profiles(ids[0])
    await harness.call(operations.cancelProfile, { params: { profileId: running?.asked.id ?? 0 } })
    for (const assetId of ids) await ended(1, assetId)
  })

  it('given an assembly without it, then its tables are not profiled', async () => {
    await assembly({ autoProfile: false })
    await table({ revision: 1, data: data(null) })
    const lastCrawl = { begunAt: time('10:00:00'), endedAt: time('10:01:00') }
    await assembly({ revision: 2, autoProfile: false, lastCrawl })
    await settled()
    expect(await profiles()).toEqual([])
  })
})
