import { executionKinds } from '@assay/contracts'
import { createCommandHandler, type LeaderWork } from '@assay/event-store'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { policyFixture, tableFixture } from '../testing/fixtures.ts'
import { bodyOf, eventually, type Harness, idOf, openHarness } from '../testing/harness.ts'
import { createRetention } from './retention.ts'

let harness: Harness
beforeEach(async () => {
  harness = await openHarness()
  await harness.table(tableFixture())
  await harness.policy(policyFixture())
})
afterEach(() => harness.close())

it('given a removal that hangs, when the lease is lost, then the sweep stops anyway', async () => {
  const { start, result } = executionKinds.DATA_QUALITY
  const id = idOf(await harness.call(start, { params: { id: 7 } }))
  const read = async () => bodyOf(await harness.call(result, { params: { id } }))
  await eventually(read, ({ result }) => result.executionStatus === 'SUCCESSFUL')
  harness.clock.time += 86_400_000 * 31
  let work: LeaderWork | undefined
  let asked = 0
  let answer = () => undefined
  const removal = new Promise<void>((resolve) => {
    answer = () => void resolve()
  })
  const retention = createRetention({
    ...harness.deps,
    commands: createCommandHandler(harness.deps),
    artifacts: {
      ...harness.artifacts,
      remove() {
        asked += 1
        return removal
      },
    },
    election: {
      isLeader: () => true,
      fence: () => 1,
      join(joined) {
        work = joined
        return async () => undefined
      },
    },
  })
  retention.start()
  await work?.start()
  await eventually(
    async () => asked,
    (count) => count > 0,
  )
  await work?.stop()
  expect(asked).toBe(1)
  answer()
  await retention.sweep()
})
