import {
  type AssemblyMessage,
  type AssetSettingsMessage,
  internalTopics,
  profileOperations as operations,
} from '@assay/contracts'
import { dueBook } from '@assay/work'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { assetProfiles } from '../asset-profiles/aggregate.ts'
import { executionTables } from '../copies/tables.ts'
import { tableFixture } from '../testing/fixtures.ts'
import { eventually, type Harness, openHarness } from '../testing/harness.ts'

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
const assembly = (changes: Partial<AssemblyMessage>) =>
  harness.send(internalTopics.assemblies, 2, {
    ...{ revision: 1, assemblyId: 2, autoAnomaly: false, autoProfile: true, isDeleted: false },
    ...changes,
  } satisfies AssemblyMessage)
const settings = (changes: Partial<AssetSettingsMessage>) =>
  harness.send(internalTopics.assetSettings, 11, {
    ...{ revision: 1, assetId: 11, timeZone: null, freshnessColumn: null, referenceAssetId: null },
    ...changes,
  } satisfies AssetSettingsMessage)
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
/** Waits until the scheduler has done everything that was due, by a start that must come after it. */
const settled = async () => {
  await table({ assetId: 12, uid: 'sales.other.csv', revision: 1 })
  const before = (await profiles(12)).length
  await harness.call(operations.startProfile, { params: { id: 12 }, body: { data: { profilingType: 'FULL' } } })
  await ended(before + 1, 12)
}
const daily = (profilingType: 'FULL' | 'INCREMENTAL' | null = null) => ({
  profiles: { schedule: { cronExpression: '30 * * * *', timeZone: 'UTC' }, profilingType },
})

describe('an asset with a schedule of profiles', () => {
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
    const [open] = await profiles()
    await harness.call(operations.cancelProfile, { params: { profileId: open?.asked.id ?? 0 } })
    harness.engine.behave({ kind: 'end' })
    now('11:30:00')
    expect((await ended(2)).map(({ status }) => status)).toEqual(['aborted', 'succeeded'])
  })
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
    await eventually(
      async () => {
        harness.timers.tick()
        return harness.engine.running()
      },
      (running) => running === 1,
    )
    await table({ revision: 2, data: data(time('09:30:00')) })
    harness.engine.behave({ kind: 'end' })
    const [open] = await profiles()
    await harness.call(operations.cancelProfile, { params: { profileId: open?.asked.id ?? 0 } })
    expect((await ended(2)).map(({ status }) => status)).toEqual(['aborted', 'succeeded'])
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
