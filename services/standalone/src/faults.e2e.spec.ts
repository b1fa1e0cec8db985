import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, truncate, unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type AssayProcess, removeData, startAssay } from '@assay/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const execute = promisify(execFile)

const api = '/catalog-server/api'
const quality = `${api}/rules/data-quality`
let folder: string
let assay: AssayProcess

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-faults-'))
})
afterAll(async () => {
  await removeData(folder)
})

/** A folder of sources. */
async function lakeOf(name: string, files: Readonly<Record<string, string>>): Promise<string> {
  const lake = join(folder, name)
  await mkdir(lake)
  for (const [file, text] of Object.entries(files)) await writeFile(join(lake, file), text)
  return lake
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
const csvOf = (rows: number, rowOf: (n: number) => string) =>
  `n,t\n${Array.from({ length: rows }, (_, n) => rowOf(n)).join('\n')}\n`

describe('given an Assay over the folder that contains its data folder', () => {
  const json = JSON.stringify(Array.from({ length: 200 }, (_, n) => ({ n, t: `row ${n}` })))
  let lake: string
  const start = async () => {
    assay = await startAssay(join(lake, 'data'), { args: [lake] })
  }

  beforeAll(async () => {
    lake = await lakeOf('lake', {
      'gone.csv': 'n,t\n1,a\n',
      'cut.json': json,
      'few.csv': csvOf(3000, (n) => `${n},x`),
      'rows.csv': csvOf(400_000, (n) => `${n % 7 === 0 ? '' : n},x`),
    })
    await start()
  })
  afterAll(() => assay.stop())

  test('when the folder is crawled, then the log and the results are left out', async () => {
    await assay.until(`${api}/assets/byUid/lake.rows.csv`, (answer) => answer.status === 200)
    const assets = await assay.call('GET', `${api}/assets?size=500`)
    const names = assets.json.data.map((asset: { name: string }) => asset.name)
    expect(names).toEqual(expect.arrayContaining(['rows.csv', 'n', 't']))
    expect(names.filter((name: string) => /assay|event|in-use|doc_/.test(name))).toEqual([])
  })

  test('when a file vanished after the crawl, then a run is FAILED with the reason, and the process continues', async () => {
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

  test('when a JSON file was truncated after the crawl, then a run is FAILED, and succeeds once the file is whole', async () => {
    const policyId = await policyOn('lake.cut.json', missing)
    await truncate(join(lake, 'cut.json'), Math.floor(json.length / 2))
    expect((await ended(await run(policyId))).json.execution).toMatchObject({
      executionStatus: 'FAILED',
      executionError: expect.stringMatching(/cut\.json/),
    })
    await writeFile(join(lake, 'cut.json'), json)
    expect((await ended(await run(policyId))).json.result).toMatchObject({ status: 'SUCCESSFUL', rows: 200 })
  })

  test('when the results folder is missing, then Assay is not ready until it is back, and the log says why', async () => {
    const ready = async () => (await assay.call('GET', '/readyz')).status
    expect(await ready()).toBe(200)
    const results = join(lake, 'data', 'results')
    await rm(results, { recursive: true })
    await writeFile(results, 'not a folder')
    const { status, json: body } = await assay.call('GET', '/readyz')
    expect([status, body.errors.length]).toEqual([503, 2])
    await assay.waitForOutput('The results do not answer: The results folder cannot be created.')
    await rm(results)
    expect(await ready()).toBe(200)
  })

  test('when an endless query is cancelled, then its run is ABORTED, and the next run succeeds', async () => {
    const policyId = await policyOn('lake.few.csv', [
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
    const other = await policyOn('lake.few.csv', missing, 'another')
    expect((await ended(await run(other))).json.result.status).toBe('SUCCESSFUL')
  })

  test('when Assay is stopped by a signal during a run and started again, then no process is orphaned, and the run ends', async () => {
    const id = await run(await policyOn('lake.rows.csv', [{ ...missing[0], columnName: 't' }], 'stopped'))
    const pid = assay.pid
    expect(await assay.stop('SIGTERM')).toBe(0)
    expect(await childrenOf(pid)).toEqual([])
    await start()
    expect((await ended(id)).json.result).toMatchObject({ status: 'SUCCESSFUL', rows: 400_000 })
  })

  test('when Assay is killed during a run, then the run is resumed after the restart', async () => {
    const id = await run(await policyOn('lake.rows.csv', missing, 'killed'))
    await assay.stop('SIGKILL')
    await start()
    const result = await ended(id)
    expect(result.json.result).toMatchObject({ status: 'ERRORED', rows: 400_000, failedRows: 57_143 })
  })
})

/** The child processes of `pid`. */
async function childrenOf(pid: number): Promise<string[]> {
  const found: string[] = []
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    const status = await readFile(`/proc/${entry}/status`, 'utf8').catch(() => '')
    if (new RegExp(`^PPid:\\s+${pid}$`, 'm').test(status)) found.push(entry)
  }
  return found
}

/** A disk of 64 KiB, if this machine allows the test to create one. */
async function smallDisk(path: string): Promise<boolean> {
  await mkdir(path)
  return execute('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', path]).then(
    () => true,
    () => false,
  )
}

test('given a full disk, when a run stores its rows, then it is FAILED with the reason, and no partial result is visible', async (context) => {
  const results = join(folder, 'results')
  if (!(await smallDisk(results))) context.skip('this user may not mount a small disk')
  try {
    const text = (n: number) => `${((n * 2_654_435_761) >>> 0).toString(36)}${(n * 7919) % 104_729}`
    const lake = await lakeOf('full', { 'rows.csv': csvOf(200_000, (n) => `,${text(n)}`) })
    assay = await startAssay(join(folder, 'data of full'), { args: [lake], env: { ASSAY_RESULTS_DIR: results } })
    const policyId = await policyOn('full.rows.csv', missing)
    const { execution } = (await ended(await run(policyId))).json
    expect(execution).toMatchObject({ executionStatus: 'FAILED', executionError: expect.stringMatching(/space|full/i) })
    expect((await readdir(results, { recursive: true })).filter((name) => name.includes('part-'))).toEqual([])
    const good = await policyOn('full.rows.csv', [{ ...missing[0], columnName: 't' }], 'one that fits')
    expect((await ended(await run(good))).json.result.status).toBe('SUCCESSFUL')
  } finally {
    await assay.stop()
    await execute('umount', [results])
  }
})
