import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  copyMongoDatabases,
  dropMongoDatabases,
  type MongoCopy,
  restoreMongoDatabases,
} from '../../packages/documents/src/testing/mongodb-copy.ts'
import { eventually, type Installation, type Servers, startInstallation, startServers } from './installation.fixture.ts'
import { services } from './topology.ts'

const republish = fileURLToPath(new URL('../../packages/hosting/src/republish/main.ts', import.meta.url))
const api = '/catalog-server/api'
const quality = `${api}/rules/data-quality`
const databases = services.map((service) => `assay_${service}`)
let folder: string
let servers: Servers | undefined
let assay: Installation | undefined
/** The parts of one backup, in the order of copying. */
let copy: { documents: MongoCopy; events: string; results: string; later: MongoCopy }

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-servers-backup-'))
  await mkdir(join(folder, 'lake'))
  await mkdir(join(folder, 'shop'))
  for (const file of ['lake/people.csv', 'shop/buyers.csv'])
    await writeFile(join(folder, file), 'id,name\n1,Ada\n2,\n3,Grace\n')
})
afterAll(async () => {
  await assay?.kill()
  await servers?.stop()
  await rm(folder, { recursive: true, force: true })
})

/**
 * The acknowledged writes. After the restore, `reads` must return the same answers. The last of `runs` may have been in
 * progress.
 */
interface Written {
  pair: object
  reads: Map<string, unknown>
  runs: number[]
  policies: number[]
}

/** Creates an assembly named after a folder; resolves once its tables are found. */
async function crawl({ good }: Installation, name: string, table: string): Promise<void> {
  await good('POST', `${api}/assemblies`, {
    name,
    sourceType: 'FILE',
    configuration: { path: join(folder, name) },
  })
  await eventually(() => good('GET', `${api}/assets/byUid/${name}.${table}`))
}

async function makePolicy({ good }: Installation, name: string, table = 'lake.people.csv'): Promise<number> {
  const { rule } = await good('POST', quality, {
    rule: { name, backingAsset: { tableAssetUid: table } },
    items: [{ name: 'has a name', measurementType: 'MISSING_VALUES', columnName: 'name' }],
  })
  return rule.id
}

/** Starts a run, once the execution service knows the policy. */
async function startRun({ good }: Installation, policy: number): Promise<number> {
  return (await eventually(() => good('POST', `${quality}/${policy}/executions`, {}))).execution.id
}

async function ended({ good }: Installation, run: number): Promise<void> {
  const result = await eventually(async () => {
    const found = await good('GET', `${quality}/executions/${run}/result`)
    expect(found.execution.executionStatus).not.toMatch(/RUNNING|WAITING|STARTED/)
    return found
  })
  expect(result.execution.executionStatus).toBe('SUCCESSFUL')
  expect(result.items).toMatchObject([{ rowsScanned: 3, rowsFailed: 1 }])
}

/** Writes a comment, a policy and a run of it with a bad row, all acknowledged. Adds the reads that show them. */
async function write(to: Installation, into: Written, name: string): Promise<void> {
  const { id: asset } = (await to.good('GET', `${api}/assets/byUid/lake.people.csv`)).data
  await to.good('POST', `${api}/assets/${asset}/comments`, { comment: `a comment on ${name}` })
  const policy = await makePolicy(to, name)
  into.policies.push(policy)
  const run = await startRun(to, policy)
  await ended(to, run)
  into.runs.push(run, await startRun(to, policy))
  const paths = [
    `${api}/assets/byUid/lake.people.csv`,
    `${api}/assets/${asset}/comments`,
    `${quality}/${policy}`,
    `${quality}/executions/${run}/result`,
    `${quality}/executions/${run}/rows?category=bad`,
  ]
  for (const path of paths) into.reads.set(path, await to.good('GET', path))
}

/** Everything acknowledged can be read again, and runs in progress end. */
async function expectKept(of: Installation, { reads, pair, runs }: Written): Promise<void> {
  for (const [path, answer] of reads)
    await eventually(async () => expect([path, await of.good('GET', path)]).toEqual([path, answer]))
  expect((await of.call('GET', `${api}/assets`, undefined, pair)).status).toBe(200)
  for (const run of runs) await ended(of, run)
  // Each watcher gets one notification of each run.
  await eventually(async () => {
    const { data: rows } = await of.good('GET', `${api}/notifications?kind=EXECUTION_ERRORED&size=100`)
    const ids: number[] = []
    // Runs that end the same way are parts of one row.
    for (const { id } of rows) {
      const { data } = await of.good('GET', `${api}/notifications/${id}/parts?size=100`)
      ids.push(...data.map(({ executionId }: { executionId: number }) => executionId))
    }
    expect(ids.filter((id) => runs.includes(id)).sort((a, b) => a - b)).toEqual(runs)
  })
}

/** Checks that all local read models are complete, by starting work that needs them. */
async function expectComplete(of: Installation, { policies }: Written): Promise<void> {
  for (const policy of policies)
    await eventually(async () => {
      const { data } = await of.good('GET', `/admin/api/audit?entity=POLICY/${policy}`)
      expect(data).toMatchObject([{ action: 'PolicyCreated' }])
    })
  for (const policy of policies) await ended(of, await startRun(of, policy))
  // The message about this table was published after the documents of other services were copied, and before those of the
  // catalog were.
  const late = await eventually(() => makePolicy(of, `of the shop ${Date.now()}`, 'shop.buyers.csv'))
  await ended(of, await startRun(of, late))
  const { id: asset } = (await of.good('GET', `${api}/assets/byUid/lake.people.csv`)).data
  const { requestId } = await eventually(() => of.good('POST', `${api}/assets/${asset}/sample/async`, {}))
  await eventually(async () => {
    const sample = await of.good('GET', `${api}/assets/sample/result/${requestId}`)
    expect(sample).toMatchObject({ jobExecutionStatus: 'SUCCESSFUL' })
  })
}

/** Runs the operator's command for empty topics. */
async function publishAgain({ mongo }: Servers): Promise<void> {
  const env = { PATH: process.env.PATH ?? '', ASSAY_MONGODB_URL: mongo.url }
  const { stdout } = await promisify(execFile)(process.execPath, [republish], { env })
  expect(stdout).toContain('catalog-publisher will publish its whole log again.')
}

/** Removes everything: processes, servers with their data, results. */
async function destroy(): Promise<void> {
  await assay?.kill()
  assay = undefined
  await servers?.stop()
  servers = undefined
  for (const name of ['results', 'samples']) await rm(join(folder, name), { recursive: true, force: true })
}

describe('given running services, and copies of the documents, the log and the results, in this order', () => {
  const written: Written = { pair: {}, reads: new Map(), runs: [], policies: [] }
  let lost = 0

  test('when the copies are made while the services run', async () => {
    servers = await startServers()
    const at = await startInstallation(servers, folder)
    assay = at
    await crawl(at, 'lake', 'people.csv')
    await eventually(() => at.good('POST', `${api}/assets/byUid/lake.people.csv/watch`))
    const body = { displayName: 'a reader', validTill: '2099-01-01', permissions: ['ASSET_VIEW'] }
    const { accessKey, secretKey } = await at.good('POST', '/admin/api/api-keys', body)
    written.pair = { accessKey, secretKey }
    await write(at, written, 'before the copy of the documents')
    const ofCatalog = 'assay_catalog'
    const others = await copyMongoDatabases(
      servers.mongo.url,
      databases.filter((name) => name !== ofCatalog),
    )
    await crawl(at, 'shop', 'buyers.csv')
    // A run on the new table shows that the catalog has published it.
    await ended(at, await startRun(at, await eventually(() => makePolicy(at, 'of the shop', 'shop.buyers.csv'))))
    const documents = new Map([...others, ...(await copyMongoDatabases(servers.mongo.url, [ofCatalog]))])
    await write(at, written, 'between the copies')
    const [events, results] = [join(folder, 'events.db'), join(folder, 'results-copy')]
    await servers.events.backup(events)
    // Files that are still being written are moved away during the copy. No result in the log refers to them.
    const filter = (path: string) => basename(path) !== '.staging'
    await cp(join(folder, 'results'), results, { recursive: true, filter })
    lost = await makePolicy(at, 'after the copies')
    copy = { documents, events, results, later: await copyMongoDatabases(servers.mongo.url, databases) }
  }, 600_000)

  test('and everything is lost and restored, with empty topics, then all acknowledged writes can be read, and runs continue', async () => {
    await destroy()
    servers = await startServers(copy.events)
    await restoreMongoDatabases(servers.mongo.url, copy.documents)
    await cp(copy.results, join(folder, 'results'), { recursive: true })
    await publishAgain(servers)
    assay = await startInstallation(servers, folder)
    await expectKept(assay, written)
    await expectComplete(assay, written)
    expect((await assay.call('GET', `${quality}/${lost}`)).status).toBe(404)
  }, 600_000)

  test('and restored documents are newer than the log, then they show lost events, until they are rebuilt', async () => {
    await destroy()
    servers = await startServers(copy.events)
    await restoreMongoDatabases(servers.mongo.url, copy.later)
    await cp(copy.results, join(folder, 'results'), { recursive: true })
    await publishAgain(servers)
    assay = await startInstallation(servers, folder)
    expect((await assay.good('GET', `${quality}/${lost}`)).rule.name).toBe('after the copies')
    await assay.stop()
    await dropMongoDatabases(servers.mongo.url, databases)
    assay = await startInstallation(servers, folder)
    await expectKept(assay, written)
    expect((await assay.call('GET', `${quality}/${lost}`)).status).toBe(404)
  }, 600_000)
})
