import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, truncate, unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type AssayProcess, startAssay } from '@assay/testkit'
import { afterEach, beforeEach, expect, test } from 'vitest'

const execute = promisify(execFile)

const api = '/catalog-server/api'
const quality = `${api}/rules/data-quality`
let folder: string
let lake: string
let assay: AssayProcess

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-faults-'))
  lake = join(folder, 'lake')
  await mkdir(lake)
})
afterEach(async () => {
  await assay.stop()
  await rm(folder, { recursive: true, force: true })
})

async function start(env: Record<string, string> = {}) {
  assay = await startAssay(join(folder, 'data'), { args: [lake], env })
}
async function policyOn(uid: string, items: unknown[], name = `on ${uid}`): Promise<number> {
  await assay.until(`${api}/assets/byUid/${uid}`, (answer) => answer.status === 200)
  const created = await assay.call('POST', quality, {
    rule: { name, backingAsset: { tableAssetUid: uid } },
    items,
  })
  expect({ status: created.status, text: created.text }).toMatchObject({ status: 200 })
  return created.json.rule.id
}
async function run(policyId: number) {
  const started = await assay.call('POST', `/api/webhook/rules/executions/${policyId}`)
  expect({ status: started.status, text: started.text }).toMatchObject({ status: 200 })
  expect(started.json.execution.executionStatus).toBe('RUNNING')
  return started.json.execution.id
}
const ended = (id: number) =>
  assay.until(
    `${quality}/executions/${id}/result`,
    (answer) => answer.json.execution.executionStatus !== 'RUNNING',
    120_000,
  )

const missing = [{ measurementType: 'MISSING_VALUES', columnName: 'n' }]

test('given a file that vanished after the crawl, when it is run, then it is FAILED with the reason and the process lives', async () => {
  await writeFile(join(lake, 'gone.csv'), 'n,t\n1,a\n')
  await start()
  const policyId = await policyOn('lake.gone.csv', missing)
  await unlink(join(lake, 'gone.csv'))
  const result = await ended(await run(policyId))
  expect(result.json.execution).toMatchObject({
    executionStatus: 'FAILED',
    resultStatus: 'ERRORED',
    executionError: expect.stringMatching(/gone\.csv/),
  })
  expect((await assay.call('GET', '/readyz')).status).toBe(200)
})

test('given a JSON file cut in half after the crawl, when it is run, then it is FAILED, and runs again when it is whole', async () => {
  const text = JSON.stringify(Array.from({ length: 200 }, (_, n) => ({ n, t: `row ${n}` })))
  await writeFile(join(lake, 'cut.json'), text)
  await start()
  const policyId = await policyOn('lake.cut.json', missing)
  await truncate(join(lake, 'cut.json'), Math.floor(text.length / 2))
  expect((await ended(await run(policyId))).json.execution).toMatchObject({
    executionStatus: 'FAILED',
    executionError: expect.stringMatching(/cut\.json/),
  })
  await writeFile(join(lake, 'cut.json'), text)
  expect((await ended(await run(policyId))).json.result).toMatchObject({ status: 'SUCCESSFUL', rows: 200 })
})

/** A disk of 64 KiB, if this machine allows the test to create one. */
async function smallDisk(path: string): Promise<boolean> {
  await mkdir(path)
  return execute('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', path]).then(
    () => true,
    () => false,
  )
}

test('given a disk that is full, when a run stores its rows, then it is FAILED with the reason and nothing half is visible', async (context) => {
  const results = join(folder, 'results')
  if (!(await smallDisk(results))) {
    await start()
    context.skip('mounting a small disk takes rights that this user lacks')
  }
  try {
    const rows = Array.from(
      { length: 200_000 },
      (_, n) => `,${((n * 2_654_435_761) >>> 0).toString(36)}${(n * 7919) % 104_729}`,
    )
    await writeFile(join(lake, 'rows.csv'), `n,t\n${rows.join('\n')}\n`)
    await start({ ASSAY_RESULTS_DIR: results })
    const policyId = await policyOn('lake.rows.csv', missing)
    const { execution } = (await ended(await run(policyId))).json
    expect(execution).toMatchObject({ executionStatus: 'FAILED', executionError: expect.stringMatching(/space|full/i) })
    expect((await readdir(results, { recursive: true })).filter((name) => name.includes('part-'))).toEqual([])
    const good = await policyOn('lake.rows.csv', [{ ...missing[0], columnName: 't' }], 'one that fits')
    expect((await ended(await run(good))).json.result.status).toBe('SUCCESSFUL')
  } finally {
    await assay.stop()
    await execute('umount', [results])
  }
})

test('given a folder of results that is gone, then Assay is not ready until it is back, and the log says why', async () => {
  await start()
  const ready = async () => (await assay.call('GET', '/readyz')).status
  expect(await ready()).toBe(200)
  const results = join(folder, 'data', 'results')
  await rm(results, { recursive: true })
  await writeFile(results, 'not a folder')
  const { status, json } = await assay.call('GET', '/readyz')
  expect([status, json.errors.length]).toEqual([503, 2])
  await assay.said('The results do not answer: The results folder cannot be created.')
  await rm(results)
  expect(await ready()).toBe(200)
})

test('given a query without end, when it is cancelled, then it is ABORTED, and the next run works', async () => {
  await writeFile(join(lake, 'rows.csv'), `n,t\n${Array.from({ length: 3000 }, (_, n) => `${n},x`).join('\n')}\n`)
  await start()
  const policyId = await policyOn('lake.rows.csv', [
    {
      measurementType: 'SQL_METRIC',
      value: {
        sql: 'select count(*) from asset a, asset b, asset c, asset d where a.n + b.n + c.n + d.n < 0',
        operator: 'EQ',
        value: 0,
      },
    },
  ])
  const id = await run(policyId)
  expect((await assay.call('POST', `${quality}/${policyId}/executions`, {})).status).toBe(422)
  expect((await assay.call('PUT', `${api}/rules/execution/${id}/cancel`, {})).json.result).toMatchObject({
    status: 'SUCCESS',
  })
  expect((await ended(id)).json.execution).toMatchObject({ executionStatus: 'ABORTED', resultStatus: 'ABORTED' })
  const again = await assay.call('PUT', `${api}/rules/execution/${id}/cancel`, {})
  expect({ status: again.status, text: again.text }).toMatchObject({
    status: 422,
    text: expect.stringContaining('already finished'),
  })
  const other = await policyOn('lake.rows.csv', missing, 'another')
  expect((await ended(await run(other))).json.result.status).toBe('SUCCESSFUL')
})

test('given a run under way, when the whole process is killed, then the run is taken up after the restart', async () => {
  await writeFile(
    join(lake, 'rows.csv'),
    `n,t\n${Array.from({ length: 400_000 }, (_, n) => `${n % 7 === 0 ? '' : n},x`).join('\n')}\n`,
  )
  await start()
  const policyId = await policyOn('lake.rows.csv', missing)
  const id = await run(policyId)
  await assay.stop('SIGKILL')
  await start()
  const result = await ended(id)
  expect(result.json.result).toMatchObject({ status: 'ERRORED', rows: 400_000, failedRows: 57_143 })
})

test('given a stop by signal during a run, when it is started again, then nothing is orphaned and the run ends', async () => {
  await writeFile(join(lake, 'rows.csv'), `n,t\n${Array.from({ length: 400_000 }, (_, n) => `${n},x`).join('\n')}\n`)
  await start()
  const id = await run(await policyOn('lake.rows.csv', missing))
  const pid = assay.pid
  expect(await assay.stop('SIGTERM')).toBe(0)
  expect(await childrenOf(pid)).toEqual([])
  await start()
  expect((await ended(id)).json.result).toMatchObject({ status: 'SUCCESSFUL', rows: 400_000 })
})

/** Processes started by `pid`, by the marker on the command line of the engine's children. */
async function childrenOf(pid: number): Promise<string[]> {
  const found: string[] = []
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    const status = await readFile(`/proc/${entry}/status`, 'utf8').catch(() => '')
    if (new RegExp(`^PPid:\\s+${pid}$`, 'm').test(status)) found.push(entry)
  }
  return found
}

test('given a folder that holds Assay itself, when it is crawled, then the log and the results are left out', async () => {
  await writeFile(join(lake, 'rows.csv'), 'n,t\n1,a\n')
  assay = await startAssay(join(lake, 'data'), { args: [lake] })
  await policyOn('lake.rows.csv', missing)
  const assets = await assay.call('GET', `${api}/assets?size=500`)
  const names = assets.json.data.map((asset: { name: string }) => asset.name)
  expect(names).toEqual(expect.arrayContaining(['rows.csv', 'n', 't']))
  expect(names.filter((name: string) => /assay|event|in-use|doc_/.test(name))).toEqual([])
})
