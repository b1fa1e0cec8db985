import { executionKinds } from '@assay/contracts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type DailyOrders, dailyOrders } from '../testing/daily-orders.ts'
import { bodyOf, eventually, type Harness, idOf } from '../testing/harness.ts'
import { type OnEngine, openOnEngine } from '../testing/on-engine.ts'

let on: OnEngine
let harness: Harness
let orders: DailyOrders
const { start, result, series, whatIf, feedback } = executionKinds.PROFILE_ANOMALY

beforeAll(async () => {
  on = await openOnEngine()
  harness = on.harness
  orders = await dailyOrders(on, 20)
}, 60_000)
afterAll(() => on.close())

async function run() {
  harness.clock.time += 1000
  const id = idOf(await harness.call(start, { params: { id: 7 } }))
  await eventually(
    async () => bodyOf(await harness.call(result, { params: { id } })),
    ({ execution }) => execution.executionStatus !== 'RUNNING',
  )
  return id
}
const seriesNow = async () => bodyOf(await harness.call(series, { params: { id: 7 } })).points
const whatIfNow = async () => bodyOf(await harness.call(whatIf, { params: { id: 7 }, body: {} })).points

it('given two runs that judged the same day, then what-if shows the later verdict, and feedback is on the day', async () => {
  await orders.write(1, 40)
  const first = await run()
  await eventually(whatIfNow, (points) => points.some(({ fired }) => fired))
  expect(await whatIfNow()).toMatchObject([{ executionId: first, value: 40, fired: true }])
  await orders.write(1, 2)
  const second = await run()
  expect(await whatIfNow()).toMatchObject([{ executionId: second, value: 2, fired: false }])
  await harness.call(feedback, { params: { id: second }, body: { feedback: 'NORMAL', metric: 'ROW_COUNT' } })
  const marked = await eventually(seriesNow, (points) => points.some((point) => point.feedback !== null))
  expect(marked.map((point) => point.feedback)).toEqual(['NORMAL', 'NORMAL'])
})

it('given feedback that a day which fired is normal, when the day is judged again, then it passes', async () => {
  await orders.write(1, 40)
  const first = await run()
  const verdictOf = async (id: number) => bodyOf(await harness.call(result, { params: { id } })).execution.resultStatus
  expect(await verdictOf(first)).toBe('ERRORED')
  await harness.call(feedback, { params: { id: first }, body: { feedback: 'NORMAL' } })
  await eventually(seriesNow, (points) => points.some(({ value, feedback }) => value === 40 && feedback === 'NORMAL'))
  const again = await run()
  expect(await verdictOf(again)).toBe('SUCCESSFUL')
  await harness.call(feedback, { params: { id: again }, body: { feedback: 'ANOMALY', metric: 'ROW_COUNT' } })
  await eventually(seriesNow, (points) => points.some(({ feedback }) => feedback === 'ANOMALY'))
  expect(await verdictOf(await run())).toBe('ERRORED')
})
