import { internalTopics, policyMessage, publicTopics } from '@assay/contracts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { eventually, type Harness, openHarness, tableFixture } from '../testing/harness.ts'
import { qualityPolicies } from '../testing/quality-policies.ts'

let harness: Harness
beforeEach(async () => {
  harness = await openHarness()
  await harness.table(tableFixture())
})
afterEach(() => harness.close())
const { create, update } = qualityPolicies(() => harness)

describe('published messages', () => {
  it('have each event as a public event, and as a state for local read models', async () => {
    await create()
    await update(1, { rule: { description: 'x' } })
    const published = await eventually(
      () => harness.bus.published.filter(({ topic }) => topic !== internalTopics.tables),
      (list) => list.length === 4,
    )
    const copies = published
      .filter(({ topic }) => topic === internalTopics.policies)
      .map(({ message }) => policyMessage.parse(message.data))
    expect(copies).toMatchObject([
      { revision: 0, policy: { rule: { id: 1, version: 1 } } },
      {
        revision: 1,
        policy: { rule: { version: 2 } },
        configuration: { good: { store: false }, bad: { store: true, format: 'PARQUET' }, prefix: null },
      },
    ])
    const [, event] = published.filter(({ topic }) => topic === publicTopics.policies)
    expect(event?.message.data).toMatchObject({
      type: 'io.assay.policy.PolicyDefinitionChanged',
      subject: 'policy/1',
      id: event?.message.id,
    })
    expect(await harness.service.problems()).toEqual([])
  })

  it('parks events that cannot be read', async () => {
    await harness.bus.publish(internalTopics.tables, [
      { id: 'x', key: '1', type: 'x', tenant: 'default', time: '', position: '1', data: {} },
    ])
    expect(harness.bus.outcomes.at(-1)).toMatchObject({ kind: 'park' })
  })
})
