import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Artifacts } from '../../packages/artifacts/src/index.ts'
import { createS3Artifacts } from '../../packages/artifacts/src/s3/index.ts'
import { openProxy, type TcpProxy } from '../../packages/testkit/src/index.ts'
import { type MinioServer, start as startMinio, whyNot } from '../../tools/servers/minio.mjs'
import {
  bucketOf,
  eventually,
  type Installation,
  type Servers,
  startInstallation,
  startServers,
} from './installation.fixture.ts'

const api = '/catalog-server/api'
const quality = `${api}/rules/data-quality`
/** The delay of messages from the execution service to the log while it uploads results. */
const delayMs = 2_000

const noMinio = await whyNot()
if (noMinio !== undefined) process.stderr.write(`The tests with a bucket are skipped. ${noMinio}\n`)

let folder: string
let servers: Servers
let minio: MinioServer | undefined
let assay: Installation
let bucket: Artifacts | undefined
/** The proxy between execution and the log. */
let toLog: TcpProxy

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-results-'))
  for (const name of ['lake', 'elsewhere']) await mkdir(join(folder, name))
  await writeFile(join(folder, 'lake', 'people.csv'), 'id,name\n1,Ada\n2,\n3,Grace\n')
  ;[servers, minio] = await Promise.all([startServers(), noMinio === undefined ? startMinio() : undefined])
  const port = Number(/:(\d+)/.exec(servers.events.connectionString.slice('esdb:'.length))?.[1])
  toLog = await openProxy(() => [port])
  const staging = join(folder, 'staging')
  assay = await startInstallation(servers, folder, minio ? { bucket: bucketOf(minio, staging) } : {})
  if (minio)
    bucket = await createS3Artifacts({
      s3: {
        bucket: minio.bucket,
        region: minio.region,
        endpoint: minio.url,
        pathStyle: true,
        credentials: { accessKeyId: minio.accessKey, secretAccessKey: minio.secretKey },
      },
      stagingRoot: join(folder, 'reading'),
      newId: () => 'reader',
      clock: { now: Date.now },
    })
  const source = { name: 'lake', sourceType: 'FILE', configuration: { path: join(folder, 'lake') } }
  await assay.good('POST', `${api}/assemblies`, source)
  await eventually(() => assay.good('GET', `${api}/assets/byUid/lake.people.csv`))
}, 900_000)
afterAll(async () => {
  await bucket?.close()
  await assay?.stop()
  await toLog?.close()
  await Promise.all([servers?.stop(), minio?.stop()])
  await rm(folder, { recursive: true, force: true })
}, 120_000)

async function makePolicy(name: string): Promise<number> {
  const { rule } = await assay.good('POST', quality, {
    rule: { name, backingAsset: { tableAssetUid: 'lake.people.csv' } },
    items: [{ name: 'has a name', measurementType: 'MISSING_VALUES', columnName: 'name' }],
  })
  return rule.id
}

const startRun = async (policy: number): Promise<number> =>
  (await eventually(() => assay.good('POST', `${quality}/${policy}/executions`, {}))).execution.id

const ended = (run: number) =>
  eventually(async () => {
    const result = await assay.good('GET', `${quality}/executions/${run}/result`)
    expect(result.execution.executionStatus).not.toMatch(/RUNNING|WAITING|STARTED/)
    return result
  })

/** Checks the result of a run and its bad row, as a page and as a file, through the gateway. */
async function expectBadRow(run: number): Promise<void> {
  const result = await ended(run)
  expect(result.execution).toMatchObject({ executionStatus: 'SUCCESSFUL', executionError: null })
  expect(result.items).toMatchObject([{ rowsScanned: 3, rowsFailed: 1 }])
  const { data } = await assay.good('GET', `${quality}/executions/${run}/rows?category=bad`)
  expect(data.rows).toHaveLength(1)
  const file = await fetch(`${assay.url}${quality}/executions/${run}/rows/download?category=bad`, {
    headers: { ...assay.topology.admin },
  })
  expect([file.status, (await file.arrayBuffer()).byteLength > 0]).toEqual([200, true])
}

const sample = async (): Promise<{ jobExecutionStatus: string; errorMsg: unknown; sampleData: unknown }> => {
  const { id } = (await assay.good('GET', `${api}/assets/byUid/lake.people.csv`)).data
  const ask = () => assay.good('POST', `${api}/assets/${id}/sample/async`, { invalidateCache: true })
  const { requestId } = await eventually(ask)
  return eventually(async () => {
    const found = await assay.good('GET', `${api}/assets/sample/result/${requestId}`)
    expect(found.jobExecutionStatus).toMatch(/SUCCESSFUL|FAILED|ERRORED/)
    return found
  })
}

/** Validates a template on the rows of the asset. */
const validated = async (): Promise<{ jobExecutionStatus: string; result: unknown }> => {
  const { id: assetId } = (await assay.good('GET', `${api}/assets/byUid/lake.people.csv`)).data
  const described = { name: 'has a name', description: null, language: 'EXPRESSION', variables: null }
  const template = { ...described, code: 'name IS NOT NULL', udfType: 'FILTER', udfDataType: 'BOOLEAN' }
  const { id } = await assay.good('POST', `${api}/udf/template`, template)
  const asked = { analyticsPipelineId: 1, assetId }
  const { requestId } = await assay.good('POST', `${api}/udf/template/${id}/validate/async`, asked)
  return eventually(async () => {
    const found = await assay.good('GET', `${api}/udf/template/validate/result/${requestId}`)
    expect(found.jobExecutionStatus).toMatch(/SUCCESSFUL|FAILED/)
    return found
  })
}

const filesBelow = async () => (await bucket?.list('default'))?.map(({ key }) => key) ?? []

describe.skipIf(noMinio !== undefined)('given results and samples in a bucket', () => {
  test('when a policy is run, an asset sampled and a template validated, then rows and previews are read from the bucket', async () => {
    await expectBadRow(await startRun(await makePolicy('in the bucket')))
    const { jobExecutionStatus, sampleData } = await sample()
    expect([jobExecutionStatus, sampleData]).toMatchObject(['SUCCESSFUL', { data: [{}, {}, {}] }])
    expect(await validated()).toMatchObject({ jobExecutionStatus: 'SUCCESSFUL', result: { data: [{}, {}, {}] } })
    const kinds = (await filesBelow()).map((key) => key.split('/')[1])
    expect(kinds).toEqual(expect.arrayContaining(['samples', 'validations']))
    const here = await readdir(folder)
    expect(here.filter((name) => ['results', 'samples', 'validations'].includes(name))).toEqual([])
  }, 600_000)

  test('when execution is killed between its upload and the event about it, then no partial result is ever visible, and the run ends once', async () => {
    const policy = await makePolicy('killed')
    await expectBadRow(await startRun(policy))
    const before = new Set(await filesBelow())
    const isNew = async () => (await filesBelow()).filter((key) => !before.has(key))

    assay.running.execution.kill()
    await assay.running.execution.exited
    await assay.restart('execution', {
      ASSAY_EVENTSTOREDB_URL: `esdb://127.0.0.1:${toLog.port}?tls=false`,
    })
    const run = await startRun(policy)
    // From now on, appends of execution arrive late, or never.
    toLog.break({ kind: 'delay', ms: delayMs })
    await eventually(async () => expect((await isNew()).some((key) => /metadata|summary/i.test(key))).toBe(true))
    toLog.break({ kind: 'refuse' })
    assay.running.execution.kill('SIGKILL')
    await assay.running.execution.exited
    const uploaded = await isNew()

    toLog.heal()
    await assay.restart('execution')
    await expectBadRow(run)
    // The gateway learns of what a service does by itself from messages, so its line may come later than the result.
    await eventually(async () => {
      const { data } = await assay.good('GET', `/admin/api/audit?entity=EXECUTION/${run}`)
      const lines: { action: string }[] = data
      expect(lines.filter(({ action }) => /Succeeded|Failed|Ended|Completed|Finished/.test(action))).toHaveLength(1)
    })
    // The uploads of the killed process belong to no result, and are removed.
    const left = await isNew()
    expect(left.length).toBe(uploaded.length)
    expect(left.filter((key) => uploaded.includes(key))).toEqual([])
  }, 600_000)
})

describe('given allowed folders for sources, and a source outside of them', () => {
  test('when it is run or sampled, then execution and sampling refuse it too', async () => {
    const policy = await makePolicy('elsewhere')
    await expectBadRow(await startRun(policy))
    const bound = { ASSAY_ALLOWED_PATHS: join(folder, 'elsewhere') }
    for (const service of ['execution', 'sampling'] as const) {
      assay.running[service].kill()
      await assay.running[service].exited
      await assay.restart(service, bound)
    }
    const result = await ended(await startRun(policy))
    expect(result.execution.executionStatus).not.toBe('SUCCESSFUL')
    expect(JSON.stringify(result.execution)).toContain('lies outside of the folders')
    const { jobExecutionStatus, errorMsg } = await sample()
    expect(jobExecutionStatus).not.toBe('SUCCESSFUL')
    expect(String(errorMsg)).toContain('lies outside of the folders')
  }, 600_000)
})
