import { appendFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { executionKinds, executionOperations as operations } from '@assay/contracts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { policyCopyPut } from '../copies/policies.ts'
import { reconciliationFixture } from '../testing/fixtures.ts'
import { bodyOf, createManualTimers, eventually, idOf } from '../testing/harness.ts'
import { type OnEngine, openOnEngine } from '../testing/on-engine.ts'

const { start: startOperation, result } = executionKinds.RECONCILIATION
const minuteMs = 60_000
const orders = 'order_id,amount\n1,10\n2,20\n'

let of: OnEngine
let [left, right] = ['', '']
beforeEach(async () => {
  of = await openOnEngine()
  left = join(of.folder, 'orders.csv')
  right = join(of.folder, 'copy.csv')
  for (const file of [left, right]) await writeFile(file, orders)
  await of.harness.table(await of.tableAt(left, { assetId: 11 }))
  await of.harness.table(await of.tableAt(right, { assetId: 30, uid: 'sales.copy.csv', name: 'copy.csv' }))
})
afterEach(() => of.close())

const items = [
  { measurementType: 'COUNT' as const, columnName: null, value: null },
  {
    ...{ measurementType: 'CUSTOM' as const, columnName: null },
    value: { leftSql: 'SELECT sum(amount) FROM asset', rightSql: 'SELECT sum(amount) FROM asset' },
  },
  { measurementType: 'EQUALITY' as const, columnName: null, value: null },
]
async function start(rule: Parameters<typeof reconciliationFixture>[0] = {}): Promise<number> {
  const message = reconciliationFixture({ delayInMinutes: 10, ...rule }, items)
  await of.harness.deps.documents.put([policyCopyPut('default', message, '0000000000000000001')])
  return idOf(await of.harness.call(startOperation, { params: { id: 7 } }))
}
const read = async (id: number) => bodyOf(await of.harness.call(result, { params: { id } }))
/** The service looks for work each time its timers tick. */
const until = (id: number, isSo: (found: Awaited<ReturnType<typeof read>>) => boolean, timers = of.harness.timers) =>
  eventually(() => {
    timers.tick()
    return read(id)
  }, isSo)
const waits = (id: number) => until(id, ({ execution }) => execution.jobState === 'WAITING')
const ended = (id: number, timers = of.harness.timers) =>
  until(id, ({ execution }) => execution.executionStatus !== 'RUNNING', timers)
const files = async () => (await of.harness.artifacts.list('default')).map(({ key }) => key)
const figures = ({ items: found }: Awaited<ReturnType<typeof read>>) =>
  found.map(({ leftResult, rightResult, matchResult }) => [leftResult, rightResult, matchResult])

describe('a comparison with delayInMinutes', () => {
  it('reads the left table first, waits without a worker, and then reads the right table', async () => {
    const id = await start()
    const waiting = await waits(id)
    expect(waiting).toMatchObject({
      execution: { executionStatus: 'RUNNING', resultStatus: 'RUNNING', finishedAt: null },
      meta: { progress: { stage: 'WAITING', fraction: null }, waitsUntil: '2026-11-20T10:10:00.000Z' },
    })
    // A row that arrives on the right in time counts, one that arrives on the left too late does not.
    await writeFile(left, 'order_id,amount\n7,7\n')
    await appendFile(right, '3,30\n')
    of.harness.clock.time += 10 * minuteMs - 1
    of.harness.timers.tick()
    expect((await waits(id)).meta).toHaveProperty('waitsUntil')
    of.harness.clock.time += 1
    const done = await ended(id)
    expect(done.execution).toMatchObject({ executionStatus: 'SUCCESSFUL', executionError: null })
    expect(figures(done)).toEqual([
      ['2', '3', '66.6667'],
      ['30', '60', '0.0000'],
      ['2', '3', '66.6667'],
    ])
    expect(done.result).toMatchObject({
      ...{ leftRowsScanned: 2, rightRowsScanned: 3 },
      comparison: { equal: 2, changed: 0, onlyLeft: 0, onlyRight: 1 },
    })
    const { data } = bodyOf(await of.harness.call(executionKinds.RECONCILIATION.rows, { params: { id } }))
    expect(data.rows).toMatchObject([{ difference: 'ONLY_RIGHT', left: null, right: { order_id: 3, amount: 30 } }])
    await eventually(files, (keys) => keys.length > 0 && keys.every((key) => !key.includes('read-first')))
    // Nobody took anything over.
    expect(await of.harness.deps.metrics.text()).toContain('assay_work_taken_over_total{work="run"} 0')
  })

  it('given a marker, then the next run begins after the rows that were read before the wait', async () => {
    const { rule } = reconciliationFixture({}, []).policy
    if (!('leftBackingAsset' in rule)) throw new Error('It does not compare two tables.')
    const marker = { type: 'IdMarkerConfig', columnName: 'order_id' }
    const id = await start({ leftBackingAsset: { ...rule.leftBackingAsset, marker } })
    await waits(id)
    await appendFile(left, '9,90\n')
    of.harness.clock.time += 10 * minuteMs
    const done = await ended(id)
    expect(done.result.comparison).toMatchObject({ leftRows: 2, equal: 2 })
    expect(done.execution.leftLastMarker).toEqual({ ...marker, initialOffset: '2' })
  })

  it('given results in a remote store, then the rows are fetched to be compared', async () => {
    const id = await start()
    await waits(id)
    await of.harness.service.stop()
    const { artifacts } = of.harness
    const fetched: string[] = []
    const open = async (key: string) => {
      fetched.push(key)
      const found = await artifacts.open(key)
      return found && { sizeBytes: found.sizeBytes, stream: found.stream }
    }
    const timers = createManualTimers()
    await of.harness.another({ timers, artifacts: { ...artifacts, open } }).start()
    of.harness.clock.time += 10 * minuteMs
    expect((await ended(id, timers)).result.comparison).toMatchObject({ equal: 2, onlyLeft: 0, onlyRight: 0 })
    expect(fetched.filter((key) => key.endsWith('read-first/rows.parquet'))).toHaveLength(1)
  })

  it('given the process dies meanwhile, then the next one goes on with the same left table at the same time', async () => {
    const id = await start()
    await waits(id)
    await writeFile(left, 'order_id,amount\n7,7\n')
    // The first process does no more work.
    await of.harness.service.stop()
    for (const soleInstance of [true, false]) {
      const timers = createManualTimers()
      const next = of.harness.another({ timers, soleInstance })
      await next.start()
      timers.tick()
      expect((await until(id, () => true, timers)).execution.jobState).toBe('WAITING')
      if (soleInstance) await next.stop()
      else {
        of.harness.clock.time += 10 * minuteMs
        expect(figures(await ended(id, timers))[0]).toEqual(['2', '2', '100.0000'])
      }
    }
  })

  it('given it is cancelled meanwhile, then it ends, keeps nothing, and the policy can be started again', async () => {
    const id = await start()
    await waits(id)
    expect((await files()).some((key) => key.includes('read-first'))).toBe(true)
    await of.harness.call(operations.cancelExecution, { params: { id } })
    expect((await read(id)).execution).toMatchObject({ executionStatus: 'ABORTED', jobState: 'ABORTED' })
    expect(await files()).toEqual([])
    of.harness.clock.time += 10 * minuteMs
    of.harness.timers.tick()
    const again = await start()
    await waits(again)
    expect((await read(id)).execution.executionStatus).toBe('ABORTED')
  })

  it('given what it read is gone, then it fails and says so', async () => {
    const id = await start()
    await waits(id)
    for (const key of await files()) await of.harness.artifacts.remove(key)
    of.harness.clock.time += 10 * minuteMs
    expect((await ended(id)).execution).toMatchObject({
      executionStatus: 'FAILED',
      executionError: expect.stringContaining('was removed. Start the run again'),
    })
  })
})
