import { appendFile, mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AssayProcess, removeData, startAssay } from '@assay/testkit'
import { afterEach, expect, test } from 'vitest'

const api = '/catalog-server/api'
const folders: string[] = []
afterEach(async () => {
  await Promise.all(folders.splice(0).map((folder) => removeData(folder)))
})

/** With `WAIT_FOR_END=1`, the test waits for the end of the delay, which takes a minute, instead of cancelling the run. */
const waitsForEnd = process.env.WAIT_FOR_END === '1'
/** Otherwise longer than any restart takes. */
const delayInMinutes = waitsForEnd ? 1 : 60

test('given a comparison that waits for its right table, when the process is killed, then the run goes on waiting until the same time', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-delayed-'))
  folders.push(folder)
  const lake = join(folder, 'lake')
  await mkdir(lake)
  const [left, right] = [join(lake, 'orders.csv'), join(lake, 'copy.csv')]
  await writeFile(left, 'id,amount\n1,10\n2,20\n')
  await writeFile(right, 'id,amount\n1,10\n')
  const start = () => startAssay(join(folder, 'data'), { args: [lake] })
  const result = (assay: AssayProcess, id: number, isSo: (job: string) => boolean, limitMs: number) =>
    assay.until(
      `${api}/rules/reconciliation/executions/${id}/result`,
      ({ status, json }) => status === 200 && isSo(json.execution.jobState),
      limitMs,
    )

  const killed = await start()
  for (const name of ['orders.csv', 'copy.csv'])
    await killed.until(`${api}/assets/byUid/lake.${name}`, ({ status }) => status === 200)
  const sides = {
    leftBackingAsset: { tableAssetUid: 'lake.orders.csv' },
    rightBackingAsset: { tableAssetUid: 'lake.copy.csv' },
  }
  const mappings = ['id', 'amount'].map((name) => ({
    ...{ leftColumnName: name, rightColumnName: name, useForJoining: name === 'id' },
  }))
  const body = { rule: { name: 'arrives later', ...sides, delayInMinutes }, mappings }
  const created = await killed.call('POST', `${api}/rules/reconciliation`, body)
  expect(created.json.rule, created.text).toMatchObject({ delayInMinutes })
  const started = await killed.call('POST', `/api/webhook/rules/executions/${created.json.rule.id}`)
  const { id } = started.json.execution
  const before = await result(killed, id, (job) => job === 'WAITING', 60_000)
  expect(before.json.execution.executionStatus).toBe('RUNNING')
  await killed.stop('SIGKILL')

  await appendFile(left, '3,30\n')
  await appendFile(right, '2,20\n')
  const assay = await start()
  try {
    const after = await result(assay, id, () => true, 60_000)
    expect(after.json.execution.jobState).toBe('WAITING')
    expect(after.json.meta.waitsUntil).toBe(before.json.meta.waitsUntil)
    if (!waitsForEnd) {
      expect((await assay.call('PUT', `${api}/rules/execution/${id}/cancel`, {})).status).toBe(200)
      const cancelled = await result(assay, id, () => true, 60_000)
      expect(cancelled.json.execution).toMatchObject({ executionStatus: 'ABORTED', jobState: 'ABORTED' })
      return
    }
    const done = await result(assay, id, (job) => job === 'SUCCESSFUL', 120_000)
    expect(done.json.result.comparison).toMatchObject({ leftRows: 2, rightRows: 2, equal: 2, onlyLeft: 0 })
    expect(Date.parse(done.json.execution.finishedAt)).toBeGreaterThanOrEqual(Date.parse(before.json.meta.waitsUntil))
  } finally {
    await assay.stop()
  }
}, 300_000)
