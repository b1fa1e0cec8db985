import { createCommandHandler } from '@assay/event-store'
import { silent } from '@assay/hosting/testing'
import { systemTimers } from '@assay/service-kit/node'
import { expect, it } from 'vitest'
import { openHarness, tableFixture } from '../testing/harness.ts'
import { createRetention } from './retention.ts'

it('given notifications, when they are 90 days old, then they are removed, and a late message does not bring them back', async () => {
  const harness = await openHarness()
  try {
    await harness.table(tableFixture())
    await harness.ask('POST', '/assets/11/watch')
    const tag = (id: string) =>
      harness.event('catalog.AssetTagAdded', { assetId: 11, uid: 'orders.csv', tagId: 5, tagName: id }, { id })
    const titles = async () =>
      (await harness.ask('GET', '/notifications')).body.data.map(({ title }: { title: string }) => title)
    await tag('old')
    harness.clock.time += 90 * 24 * 3_600_000
    await tag('new')
    const { documents, store, clock } = harness
    const commands = createCommandHandler({ ...harness.deps, store, documents, clock })
    const retention = createRetention({ documents, store, commands, clock, timers: systemTimers, logger: silent })
    await retention.once()
    await tag('old')
    expect(await titles()).toEqual(["orders.csv was tagged 'new'"])
    await retention.once()
    expect(await titles()).toHaveLength(1)
  } finally {
    await harness.close()
  }
})
