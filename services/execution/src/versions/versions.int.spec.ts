import { executionKinds, itemRecord } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import { createCommandHandler } from '@assay/event-store'
import { type KindPolicy, kindOf } from '@assay/reliability'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { executions } from '../execution/execution.documents.ts'
import { itemFixture, openedOf, policyFixture, runFixture, tableFixture } from '../testing/fixtures.ts'
import { bodyOf, eventually, type Harness, idOf, openHarness } from '../testing/harness.ts'
import type { SchemaVersion } from './version.ts'
import { createVersions } from './versions.ts'

let harness: Harness
beforeEach(async () => {
  harness = await openHarness()
  await harness.table(tableFixture())
})
afterEach(() => harness.close())

const { start, result } = executionKinds.DATA_QUALITY

async function run(): Promise<number> {
  const id = idOf(await harness.call(start, { params: { id: 7 } }))
  await eventually(
    async () => bodyOf(await harness.call(result, { params: { id } })).execution.executionStatus,
    (status) => status !== 'RUNNING',
  )
  return id
}

/** The items in the records of a run of all items. */
function itemsOf(opened: KindPolicy) {
  const none = { resultPercentage: null, rowsScanned: null, rowsFailed: null, value: null, error: null }
  const outcomes = opened.reads(null).map(({ itemId }) => ({ itemId, verdict: 'SUCCESSFUL' as const, ...none }))
  const ended = { ...runFixture(), finishedAt: '2026-11-20T10:00:00.000Z', outcomes, hidden: new Set<number>() }
  return opened.records(ended).executions.map(({ item }) => item)
}

async function keptInLog(): Promise<string[]> {
  const { events } = await harness.deps.store.readAll({ categories: ['runversion'] })
  return events.map(({ stream }) => stream)
}

it('given runs of one policy, then the log has its definition and its columns once, until they change', async () => {
  await harness.policy(policyFixture())
  await run()
  await run()
  expect(await keptInLog()).toHaveLength(2)
  await harness.policy({ ...policyFixture({ version: 4, description: 'changes no run' }), revision: 1 })
  await run()
  expect(await keptInLog()).toHaveLength(2)
  await harness.policy({ ...policyFixture({ version: 5, filter: 'amount > 0' }), revision: 2 })
  await run()
  expect(await keptInLog()).toHaveLength(3)
})

it('given a run whose versions have no documents, then they are read from the log', async () => {
  await harness.policy(policyFixture())
  const id = await run()
  const stored = await harness.deps.documents.get(executions, 'default', id)
  if (stored === undefined) throw new Error('There is no run.')
  const commands = createCommandHandler({ ...harness.deps })
  const versions = createVersions({ documents: { find: async () => ({ documents: [], count: 0 }) }, commands })
  const { run: known } = await versions.of('default', stored.document)
  expect(itemsOf(known.definition)).toEqual(policyFixture().policy.details.items)
  const lost = { ...known, policy: { ...known.policy, definition: 'gone' } }
  await expect(versions.of('default', { run: lost })).rejects.toMatchObject({ code: 'unavailable' })
})

it('given large versions, then only the last used ones are cached', async () => {
  const large: SchemaVersion = { kind: 'SCHEMA', columns: [{ id: 1, name: 'x'.repeat(1024 * 1024), dataType: 'INT' }] }
  const asked: string[] = []
  const documents: Pick<Documents, 'find'> = {
    find: async (collection, _tenant, { where = [] }) => {
      const keys = where.flatMap((each) => ('in' in each ? each.in.map(String) : []))
      asked.push(...keys)
      const found = keys.map((key) => collection.schema.parse({ key, version: key === 'd' ? policyVersion : large }))
      return { documents: found, count: found.length }
    },
  }
  const { policy } = policyFixture()
  const policyVersion = {
    kind: 'POLICY',
    type: 'DATA_QUALITY',
    ...kindOf('DATA_QUALITY').keep(policy, { timeZone: null, freshnessColumn: null }),
  }
  const versions = createVersions({ documents, commands: createCommandHandler({ ...harness.deps }) })
  const [side] = runFixture().sides
  const read = (schema: string) => versions.of('default', { run: { ...runFixture(), sides: [{ ...side, schema }] } })
  for (let index = 0; index < 20; index++) await read(`s${index}`)
  asked.length = 0
  await read('s19')
  expect(asked).toEqual([])
  await read('s0')
  expect(asked).toEqual(['s0'])
})

it('given a policy with several items, then its stored definition has them unchanged', () => {
  const items = [itemFixture(), itemFixture({ id: 2, labels: [{ key: 'team', value: 'a' }] })]
  const { policy } = policyFixture({ version: 1, filter: 'amount > 0' }, [
    ...items,
    itemFixture({ id: 3, isArchived: true }),
  ])
  const opened = openedOf(policy)
  expect(itemsOf(opened)).toEqual(items)
  expect(JSON.stringify(itemsOf(opened))).toBe(JSON.stringify(items.map((item) => itemRecord.parse(item))))
  expect([opened.hasItem(3), opened.hasItem(4)]).toEqual([true, false])
  expect(opened.sides).toEqual([{ side: 'ONE', assetId: 11, filter: 'amount > 0', marker: null }])
})
