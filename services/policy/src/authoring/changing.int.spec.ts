import { policyKinds } from '@assay/contracts'
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
const { create, update, get } = qualityPolicies(() => harness)

describe('changing', () => {
  it('merges the rule, and adds one version', async () => {
    await create({ description: 'first', filter: 'id > 1' })
    const changed = await update(1, {
      rule: { name: null, description: '', thresholdLevel: { success: 90, warning: 80 } },
    })
    expect(changed.rule).toMatchObject({
      version: 2,
      name: 'orders are sound',
      description: '',
      filter: 'id > 1',
      thresholdLevel: { success: 90, warning: 80 },
    })
    expect((await update(1, { rule: { filter: '' } })).rule).toMatchObject({ version: 3, filter: null })
  })

  it('adds no version if a request repeats the policy as read or as created', async () => {
    const made = await create({ labels: [{ key: 'a', value: 'b' }] })
    expect(await update(1, { rule: made.rule, items: made.details.items })).toEqual(made)
    expect(await update(1, { items: [missing] })).toEqual(made)
    expect(await update(1, {})).toEqual(made)
  })

  it('returns notificationChannels as sent, and an empty object removes them', async () => {
    const notificationChannels = {
      ...{ alertsEnabled: true, configuredNotificationGroupIds: [7], notifyOn: ['ERROR'], notifyOnSuccess: false },
      ...{ notifyOnWarning: true, reNotifyMode: 'INTERVAL', reNotifyFactor: 2, severity: 'CRITICAL', own: { a: [1] } },
    }
    expect((await create({ notificationChannels })).rule).toMatchObject({ notificationChannels })
    const kept = await update(1, { rule: { description: 'x' } })
    expect(kept.rule.notificationChannels).toEqual(notificationChannels)
    expect((await update(1, { rule: kept.rule })).rule.version).toBe(2)
    expect((await update(1, { rule: { notificationChannels: {} } })).rule.notificationChannels).toBeNull()
    await expect(update(1, { rule: { notificationChannels: { notifyOn: ['NO'] } } })).rejects.toThrow('notifyOn')
  })

  it('takes the verdict from the items until a score threshold is sent', async () => {
    const made = await create()
    expect(made.rule).toMatchObject({ verdictBy: 'ITEMS', thresholdLevel: { success: 100 } })
    expect((await create({ name: 'own', thresholdLevel: { success: 100 } })).rule.verdictBy).toBe('SCORE')
    const { verdictBy: _, ...withoutBasis } = made.rule
    expect((await update(1, { rule: withoutBasis })).rule).toMatchObject({ verdictBy: 'ITEMS', version: 1 })
    expect((await update(1, { rule: { thresholdLevel: { success: 90 } } })).rule).toMatchObject({
      verdictBy: 'SCORE',
      version: 2,
    })
    expect((await update(1, { rule: { description: 'x' } })).rule.verdictBy).toBe('SCORE')
    expect((await update(1, { rule: { verdictBy: 'ITEMS' } })).rule).toMatchObject({ verdictBy: 'ITEMS', version: 4 })
  })

  it('requires the rule, even an empty one', async () => {
    await create()
    const bare = (body: object) => harness.call(quality.update, { params: { id: 1 }, body })
    await expect(bare({ items: [missing] })).rejects.toThrow('rule')
    await expect(bare({})).rejects.toThrow('rule')
    expect((await bare({ rule: {} })).rule).toMatchObject({ version: 1 })
  })

  it('replaces the list of items; an item that is sent with its id keeps that id', async () => {
    await create({}, [missing, { ...missing, columnName: 'id', name: 'second' }])
    const { details, rule } = await update(1, {
      items: [
        { ...missing, columnName: 'at' },
        { id: 2, ...missing, columnName: 'amount' },
      ],
    })
    expect(rule.version).toBe(2)
    expect(details.items).toMatchObject([
      { id: 3, columnName: 'at', ruleVersion: 2 },
      { id: 2, columnName: 'amount' },
    ])
    await expect(update(1, { items: [{ id: 1, ...missing }] })).rejects.toThrow(
      'items[0].id: the policy has no item with the id 1',
    )
    await expect(
      update(1, {
        items: [
          { id: 2, ...missing },
          { id: 2, ...missing },
        ],
      }),
    ).rejects.toThrow('items[1].id')
  })

  it('accepts a resultThreshold that is sent with the previous thresholdConfig', async () => {
    const { details } = await create()
    const changed = await update(1, { items: [{ ...details.items[0], resultThreshold: 95 }] })
    expect(changed.details.items).toMatchObject([{ id: 1, resultThreshold: 95, thresholdConfig: { success: 95 } }])
  })

  it('applies the changes of ten concurrent writers', async () => {
    await create()
    await Promise.all(
      Array.from({ length: 10 }, (_, index) => update(1, { rule: { labels: [{ key: 'n', value: `${index}` }] } })),
    )
    expect((await get(1)).rule.version).toBe(11)
  })

  it('reserves a new name and frees the old one', async () => {
    await create()
    await create({ name: 'other' })
    await expect(update(1, { rule: { name: 'other' } })).rejects.toMatchObject({ code: 'taken' })
    await update(1, { rule: { name: 'renamed' } })
    expect((await create()).rule.id).toBeGreaterThan(2)
    await expect(create({ name: 'renamed' })).rejects.toMatchObject({ code: 'taken' })
    expect(
      (
        await harness.call(quality.updateByName, {
          params: { name: 'renamed' },
          body: { rule: { description: 'x' } },
        })
      ).rule.description,
    ).toBe('x')
  })

  it('answers 404 for unknown policies', async () => {
    await expect(update(9, {})).rejects.toMatchObject({ code: 'not-found' })
    for (const identifier of ['9', 'nope', '0', '-1'])
      await expect(get(identifier)).rejects.toMatchObject({ code: 'not-found' })
  })

  it('allows to disable and describe a policy whose table is deleted', async () => {
    await create()
    await harness.table(tableFixture({ revision: 1, isDeleted: true, columns: [] }))
    const { rule } = await update(1, { rule: { description: 'gone' } })
    expect(rule.version).toBe(2)
    expect((await update(1, { rule: { ...rule, enabled: false } })).rule).toMatchObject({ version: 3, enabled: false })
    await expect(create({ name: 'late' })).rejects.toThrow(/tableAssetId: .*is deleted/)
  })
})
