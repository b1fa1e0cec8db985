import { policyOperations as operations, policyKinds } from '@assay/contracts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Harness, openHarness, tableFixture } from '../testing/harness.ts'
import { missing, qualityPolicies } from '../testing/quality-policies.ts'

const quality = policyKinds.DATA_QUALITY

let harness: Harness
beforeEach(async () => {
  harness = await openHarness()
  await harness.table(tableFixture())
})
afterEach(() => harness.close())
const { create, update, get, list } = qualityPolicies(() => harness)

describe('versions', () => {
  it('can always be read; a version that never existed is ignored', async () => {
    const first = await create()
    await update(1, { rule: { description: 'second' } })
    await update(1, { items: [missing, { ...missing, columnName: 'id' }] })
    expect(await get(1, { version: 1 })).toEqual(first)
    expect((await get(1, { version: 2 })).details.items).toHaveLength(1)
    const newest = await get(1)
    for (const version of [0, 4, 'x']) expect(await get(1, { version })).toEqual(newest)
  })

  it('are listed with their changes, and compared', async () => {
    await create()
    await update(1, { rule: { description: 'second', filter: 'id > 1' } })
    await update(1, {
      items: [
        { id: 1, ...missing, isWarning: true },
        { ...missing, columnName: 'id' },
      ],
    })
    const listed = await harness.call(operations.listPolicyVersions, { params: { id: 1 } })
    expect(listed.meta.count).toBe(3)
    expect(listed.data).toMatchObject([
      { version: 3, actor: 'ann', changedPaths: ['items[0].isWarning', 'items[1]'] },
      { version: 2, changedPaths: ['rule.description', 'rule.filter'] },
      { version: 1, changedPaths: [] },
    ])
    const compare = (a: number, b: number) =>
      harness.call(operations.comparePolicyVersions, { params: { id: 1, a, b } })
    expect(await compare(3, 1)).toMatchObject({
      from: 3,
      to: 1,
      changes: [
        { path: 'rule.description', before: 'second', after: '' },
        { path: 'rule.filter', before: 'id > 1', after: null },
        { path: 'items[0].isWarning', before: true, after: false },
        { path: 'items[1]', before: { columnName: 'id' }, after: null },
      ],
    })
    await expect(compare(1, 4)).rejects.toMatchObject({ code: 'not-found' })
  })

  it('are only the version of the last completed run with onlyExecutedVersion', async () => {
    const first = await create()
    await update(1, { rule: { description: 'second' } })
    expect((await get(1, { onlyExecutedVersion: true })).rule.version).toBe(2)
    await harness.executed({ policyId: 1, version: 1, executionId: 5 })
    expect(await get(1, { onlyExecutedVersion: true })).toEqual(first)
    await harness.executed({ policyId: 1, version: 2, executionId: 4 })
    expect((await get(1, { onlyExecutedVersion: true })).rule.version).toBe(1)
    expect((await get(1, { onlyExecutedVersion: true, version: 2 })).rule.version).toBe(2)
  })

  it('include the run whose end the caller has seen, with onlyExecutedVersion', async () => {
    await create()
    await update(1, { rule: { description: 'second' } })
    const finishedAt = '2026-11-20T11:00:00.000Z'
    await harness.executed({ policyId: 1, version: 2, executionId: 5 })
    const seen = new Map([['execution' as const, [`executedversion-1@${Date.parse(finishedAt)}`]]])
    const query = { onlyExecutedVersion: true }
    const asked = harness.call(quality.get, { params: { identifier: 1 }, query, seen })
    await harness.executed({ policyId: 1, version: 1, executionId: 6, finishedAt })
    expect((await asked).rule.version).toBe(1)
  })
})

describe('listing', () => {
  it('pages, sorts, filters', async () => {
    for (const name of ['b', 'a', 'Abc']) await create({ name })
    await harness.call(operations.enablePolicy, { params: { id: 2 }, body: { enable: false } })
    await harness.call(quality.archive, { params: { id: 3 } })
    const names = async (query: object) => (await list(query)).rules.map(({ rule }) => rule.name)
    expect(await names({})).toEqual(['a', 'b'])
    expect(await names({ sortBy: 'name:DESC' })).toEqual(['b', 'a'])
    expect(await names({ ruleStatus: 'all', sortBy: 'id:asc' })).toEqual(['b', 'a', 'Abc'])
    expect(await names({ ruleStatus: 'ACTIVE' })).toEqual(['b'])
    expect(await names({ ruleStatus: 'DISABLED,ARCHIVED', sortBy: 'id:asc' })).toEqual(['a', 'Abc'])
    expect(await names({ name: 'A', ruleStatus: 'ALL', sortBy: 'id:asc' })).toEqual(['a', 'Abc'])
    expect((await list({ size: 1, page: 1, sortBy: 'id:asc' })).meta).toEqual({ count: 2, page: 1, size: 1 })
    expect(await list({ size: 0 })).toEqual({ rules: [], meta: { count: 2, page: 0, size: 0 } })
  })
  it('shows items', async () => {
    await create()
    expect((await harness.call(quality.items, { params: { id: 1 } })).items).toMatchObject([{ id: 1 }])
  })
})
