import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AssayProcess, startAssay } from '@assay/testkit'
import { CreateBucketCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MinioServer, start, whyNot } from '../../../tools/servers/minio.mjs'

const api = '/catalog-server/api'
const reason = await whyNot()
if (reason !== undefined) process.stderr.write(`The suite of S3 sources does not run. ${reason}\n`)

describe.skipIf(reason !== undefined)('an S3-compatible store as a source', () => {
  let server: MinioServer
  let client: S3Client
  let folder: string
  let assay: AssayProcess
  const Bucket = `shop-${Date.now()}`
  beforeAll(async () => {
    ;[server, folder] = await Promise.all([start(), mkdtemp(join(tmpdir(), 'assay-s3-'))])
    const { url: endpoint, region, accessKey: accessKeyId, secretKey: secretAccessKey } = server
    client = new S3Client({ region, endpoint, forcePathStyle: true, credentials: { accessKeyId, secretAccessKey } })
    await client.send(new CreateBucketCommand({ Bucket }))
    await put('sales/orders.csv', 'id,email\n1,a@example.com\n2,\n3,c@example.com\n')
    await put('sales/customers.ndjson', '{"id":1,"name":"Ada"}\n')
    for (const day of [1, 2]) await put(`sales/daily/day=${day}/a.csv`, 'id,amount\n1,10\n2,20\n')
    await put('sales/book.xlsx', 'x')
    assay = await startAssay(join(folder, 'data'))
  }, 900_000)
  afterAll(async () => {
    await assay?.stop()
    client?.destroy()
    await server?.stop()
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  })

  const put = (Key: string, Body: string) => client.send(new PutObjectCommand({ Bucket, Key, Body }))
  const configuration = (more: object = {}) => ({
    ...{ endpoint: server.url, bucket: Bucket, prefix: 'sales' },
    ...{ accessKeyId: server.accessKey, secretAccessKey: server.secretKey, ...more },
  })
  const body = (more: object = {}) => ({ name: 'lake', sourceType: 'AWS_S3', configuration: configuration(more) })

  async function good(method: string, path: string, request?: unknown) {
    const answer = await assay.call(method, path, request)
    expect(answer.status, `${path}: ${answer.text}`).toBe(200)
    return answer.json
  }

  async function ended(kind: string, policy: number, request: object) {
    const { execution } = await good('POST', `${api}/rules/${kind}/${policy}/executions`, request)
    const { json } = await assay.until(
      `${api}/rules/${kind}/executions/${execution.id}/result`,
      ({ status, json: result }) => status === 200 && !/RUNNING|WAITING|STARTED/.test(result.execution.executionStatus),
    )
    return json
  }

  async function crawled(assembly: number) {
    const { json } = await assay.until(
      `${api}/assemblies/${assembly}/crawls`,
      ({ json: { data } }) => data.every(({ status }: { status: string }) => status !== 'RUNNING') && data.length > 0,
    )
    return json.data[0]
  }

  it('given a wrong configuration, when it is tested or created, then a sentence says what is wrong', async () => {
    for (const [wrong, sentence] of [
      [{ endpoint: 'http://no-such-host.invalid' }, /host no-such-host.invalid was not found/],
      [{ endpoint: 'http://127.0.0.1:1' }, /Nothing listens at 127.0.0.1:1/],
      [{ bucket: 'no-such-bucket' }, /no bucket "no-such-bucket"/],
      [{ secretAccessKey: 'wrong' }, /refused the secret/],
    ] as const) {
      const refused = await assay.call('POST', `${api}/assemblies`, body(wrong))
      expect(refused).toMatchObject({ status: 400 })
      expect(refused.json.errors[0].message).toMatch(sentence)
      const { data } = await good('POST', `${api}/assemblies/test`, body(wrong))
      expect(data).toMatchObject({ ok: false, message: expect.stringMatching(sentence) })
    }
    for (const [wrong, field] of [
      [{ endpoint: 'http://169.254.169.254' }, 'configuration.endpoint'],
      [{ endpoint: 'minio:9000' }, 'configuration.endpoint'],
      [{ prefix: '../x' }, 'configuration.prefix'],
      [{ bukket: 'x' }, 'configuration.bukket'],
      [{ secretAccessKey: '***' }, 'configuration.secretAccessKey'],
    ] as const) {
      const refused = await assay.call('POST', `${api}/assemblies`, body(wrong))
      expect(refused).toMatchObject({ status: 400, text: expect.stringContaining(field) })
    }
  })

  it('given a bucket, when it is crawled, then its objects are assets, and its key is in clear nowhere', async () => {
    expect(await good('POST', `${api}/assemblies/test`, body())).toMatchObject({ data: { ok: true, assetsFound: 3 } })
    const { data: made } = await good('POST', `${api}/assemblies`, body())
    expect(made.configuration).toMatchObject({ bucket: Bucket, accessKeyId: server.accessKey, secretAccessKey: '***' })
    expect(await crawled(made.id)).toMatchObject({ status: 'SUCCESSFUL', added: 3, failed: 0, skippedCount: 1 })
    const typeOf = async (uid: string) => (await good('GET', `${api}/assets/byUid/${uid}`)).data.assetType.name
    const uids = ['lake.orders.csv', 'lake.orders.csv.email', 'lake.daily']
    expect(await Promise.all(uids.map(typeOf))).toEqual(['FILE', 'FILE_COLUMN', 'FILE'])

    await good('PUT', `${api}/assemblies/${made.id}`, body({ secretAccessKey: '***' }))
    await good('POST', `${api}/assemblies/${made.id}/crawl`, {})
    expect(await crawled(made.id)).toMatchObject({ status: 'SUCCESSFUL', added: 0, changed: 0, removed: 0 })
    for (const name of await readdir(join(folder, 'data'), { recursive: true }))
      expect((await readFile(join(folder, 'data', name)).catch(() => Buffer.alloc(0))).includes(server.secretKey)).toBe(
        false,
      )
    expect(assay.output()).not.toContain(server.secretKey)
  })

  it('given a policy, when it runs, then it judges the objects, stores bad rows, and follows new objects', async () => {
    const { data: orders } = await good('GET', `${api}/assets/byUid/lake.orders.csv`)
    const policy = await good('POST', `${api}/rules/data-quality`, {
      rule: { name: 'orders have an e-mail', backingAsset: { tableAssetId: orders.id } },
      items: [{ measurementType: 'MISSING_VALUES', columnName: 'email' }],
    })
    const full = await ended('data-quality', policy.rule.id, { executionType: 'FULL' })
    expect(full).toMatchObject({ items: [{ rowsScanned: 3, rowsFailed: 1 }] })
    const { data } = await good('GET', `${api}/rules/data-quality/executions/${full.execution.id}/rows?category=bad`)
    expect(data.rows).toMatchObject([{ values: { id: 2 } }])
    const { requestId } = await good('POST', `${api}/assets/${orders.id}/sample/async`, {})
    const sample = await assay.until(`${api}/assets/sample/result/${requestId}`, ({ text }) =>
      /SUCCE|FAILED/.test(text),
    )
    expect(sample.text).toContain('c@example.com')

    const { data: daily } = await good('GET', `${api}/assets/byUid/lake.daily`)
    const marked = await good('POST', `${api}/rules/data-quality`, {
      rule: { name: 'daily', backingAsset: { tableAssetId: daily.id, marker: { type: 'FileEventMarkerConfig' } } },
      items: [{ measurementType: 'RANGE_MATCH', columnName: 'amount', value: { min: '11' } }],
    })
    const scans = async () => (await ended('data-quality', marked.rule.id, { executionType: 'INCREMENTAL' })).items[0]
    expect(await scans()).toMatchObject({ rowsScanned: 4, rowsFailed: 2 })
    await put('sales/daily/day=3/a.csv', 'id,amount\n1,10\n')
    expect(await scans()).toMatchObject({ rowsScanned: 1, rowsFailed: 1 })
  })

  it('given an object that is gone, or a store that is gone, when a policy runs, then it fails with the cause', async () => {
    const { data: customers } = await good('GET', `${api}/assets/byUid/lake.customers.ndjson`)
    const policy = await good('POST', `${api}/rules/data-quality`, {
      rule: { name: 'customers have a name', backingAsset: { tableAssetId: customers.id } },
      items: [{ measurementType: 'MISSING_VALUES', columnName: 'name' }],
    })
    const { data: made } = await good('GET', `${api}/assemblies/lake`)
    const failing = async () => {
      const { execution } = await ended('data-quality', policy.rule.id, { executionType: 'FULL' })
      expect(execution).toMatchObject({ executionStatus: 'FAILED' })
      return execution.executionError
    }
    await good('PUT', `${api}/assemblies/${made.id}`, body({ secretAccessKey: '***', prefix: 'sales/daily' }))
    expect(await failing()).toMatch(/customers.ndjson.*another bucket or prefix/)
    await good('PUT', `${api}/assemblies/${made.id}`, body({ secretAccessKey: '***' }))
    await server.kill()
    expect(await failing()).toMatch(/Nothing listens at 127.0.0.1/)
    await server.restart()
  })
})
