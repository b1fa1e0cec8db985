import { policyOperations as operations, policyKinds } from '@assay/contracts'
import { documentPut } from '@assay/documents'
import { type CommandHandler, createCommandHandler } from '@assay/event-store'
import { isoTime } from '@assay/service-kit'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { policies } from '../policy/aggregate.ts'
import { type Harness, openHarness, tableFixture } from '../testing/harness.ts'
import { qualityPolicies } from '../testing/quality-policies.ts'
import { createDisabling } from './disable-of-deleted-table.ts'

const quality = policyKinds.DATA_QUALITY

let harness: Harness
beforeEach(async () => {
  harness = await openHarness()
  await harness.table(tableFixture())
})
afterEach(() => harness.close())
const { create, update, get } = qualityPolicies(() => harness)

describe('enabling, archiving', () => {
  const enable = (id: number, enable: boolean) =>
    harness.call(operations.enablePolicy, { params: { id }, body: { enable } })
  const archive = (id: number, message?: string) =>
    harness.call(quality.archive, {
      params: { id },
      query: message === undefined ? {} : { message },
    })
  const unarchive = (id: number) => harness.call(quality.unarchive, { params: { id } })

  it('disabling and enabling each add a version, repeating them none', async () => {
    await create()
    expect((await enable(1, false)).rule).toMatchObject({ enabled: false, version: 2 })
    expect((await enable(1, false)).rule.version).toBe(2)
    expect((await enable(1, true)).rule).toMatchObject({ enabled: true, version: 3 })
    await expect(enable(2, true)).rejects.toMatchObject({ code: 'not-found' })
  })

  it('archiving frees the name and adds no version; unarchiving reserves it again or fails', async () => {
    await create()
    await archive(1, 'old')
    expect((await get(1)).rule).toMatchObject({ archived: true, archivalReason: 'old', version: 1 })
    await archive(1)
    await expect(update(1, { rule: { description: 'x' } })).rejects.toMatchObject({ code: 'unprocessable' })
    const second = await create()
    expect((await get('orders are sound')).rule.id).toBe(second.rule.id)
    await expect(unarchive(1)).rejects.toMatchObject({ code: 'taken' })
    await harness.call(quality.archiveByName, { params: { name: 'orders are sound' } })
    expect(await unarchive(1)).toEqual({ status: 'SUCCESS' })
    expect(await unarchive(1)).toEqual({ status: 'SUCCESS' })
    expect((await get('orders are sound')).rule).toMatchObject({
      id: 1,
      archived: false,
      archivalReason: null,
      version: 1,
    })
  })

  it('refuses to unarchive a policy whose table is deleted', async () => {
    await create()
    await archive(1)
    await harness.table(tableFixture({ revision: 1, isDeleted: true }))
    expect(await unarchive(1)).toEqual({ status: 'FAILED_ON_BACKING_ASSET' })
  })

  it('a deleted assembly disables the policies on it, a missing table does not', async () => {
    await create()
    await harness.table(tableFixture({ revision: 1, isDeleted: true }))
    expect((await get(1)).rule.enabled).toBe(true)
    await harness.table(tableFixture({ revision: 2, isDeleted: true, deletedWith: 'assembly' }))
    expect((await get(1)).rule).toMatchObject({ enabled: false, version: 2, lastUpdatedBy: 'system' })
  })

  it('a deletion that is published again does not disable a policy that was enabled after the table returned', async () => {
    await create()
    const deletedAt = isoTime(harness.deps.clock.now())
    const deletion = tableFixture({ revision: 1, isDeleted: true, deletedWith: 'assembly', deletedAt })
    await harness.table(deletion)
    expect((await get(1)).rule).toMatchObject({ enabled: false, version: 2 })
    await harness.table(tableFixture({ revision: 2 }))
    await vi.waitFor(() => expect(harness.deps.clock.now()).toBeGreaterThan(Date.parse(deletedAt)))
    await enable(1, true)
    await harness.table(deletion)
    await harness.table(tableFixture({ revision: 3 }))
    expect((await get(1)).rule).toMatchObject({ enabled: true, version: 3 })
  })

  it('a deleted view disables the policies on it', async () => {
    await create()
    await harness.table(tableFixture({ revision: 1, isDeleted: true, deletedWith: 'view' }))
    expect((await get(1)).rule).toMatchObject({ enabled: false, version: 2, lastUpdatedBy: 'system' })
  })

  it('disables each of many policies once, even if their documents are stale', async () => {
    await create()
    const { documents, deps } = harness
    const stored = await documents.get(policies, 'default', 1)
    if (stored === undefined) throw new Error('The policy is missing.')
    const { answer } = stored.document
    const copyOf = (id: number) => {
      const document = { ...stored.document, answer: { ...answer, rule: { ...answer.rule, id } } }
      return documentPut(policies, 'default', id, policies.schema.parse(document), stored.source)
    }
    await documents.put(Array.from({ length: 600 }, (_, index) => copyOf(index + 2)))
    const handler = createCommandHandler(deps)
    const disabled: number[] = []
    const lagging: CommandHandler = {
      ...handler,
      async handle(aggregate, { tenant, id }) {
        if (disabled.push(Number(id)) > 2_000) throw new Error('It disables the same policies again and again.')
        return { ...(await handler.load(aggregate, tenant, id)), events: [] }
      },
    }
    const disable = createDisabling({ documents, handler: lagging, clock: deps.clock })
    await disable('default', tableFixture({ deletedWith: 'assembly' }))
    expect(disabled).toEqual(Array.from({ length: 601 }, (_, index) => index + 1))
  })
})
