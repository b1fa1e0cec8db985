import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Permission, permissions } from '@assay/contracts'
import { createFirstBadRowsClient, firstBadRowsRoute } from '@assay/hosting'
import type { FirstBadRows } from '@assay/hosting/ports'
import { silent } from '@assay/hosting/testing'
import {
  createHttpApp,
  createIdentitySigner,
  createMetrics,
  identityHeader,
  type Listening,
  listen,
} from '@assay/service-kit'
import { systemClock, uuidV7 } from '@assay/service-kit/node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { tableCopyPut } from '../copies/tables.ts'
import { executions } from '../execution/execution.documents.ts'
import { tagCopyPut } from '../references/copies.ts'
import { itemFixture, tagFixture } from '../testing/fixtures.ts'
import type { Harness } from '../testing/harness.ts'
import { type OnEngine, openOnEngine } from '../testing/on-engine.ts'

const tenant = 'default'
const position = '0000000000000000001'
const signer = createIdentitySigner({ secret: randomBytes(32), clock: systemClock })
let on: OnEngine
let harness: Harness
let http: Listening
let url: string
let few: number
let many: number
let revision = 0

/** Protects column 13, or ends its protection. */
async function protectAmount(present: boolean): Promise<void> {
  revision += 1
  const ids = { kind: 'association' as const, associationId: 1, tagId: 1, assetId: 13, tableId: 11 }
  const puts = [tagCopyPut(tenant, tagFixture(), position), tagCopyPut(tenant, { ...ids, present, revision }, position)]
  await harness.deps.documents.put(puts)
}

/** 150 orders without a name, then 250 with a negative amount. */
const orders = Array.from({ length: 400 }, (_, at) => (at < 150 ? `${at},1,\n` : `${at},-1,n\n`))

beforeAll(async () => {
  on = await openOnEngine()
  harness = on.harness
  const { documents } = harness.deps
  const items = [
    itemFixture({ id: 1, name: 'has a name', measurementType: 'MISSING_VALUES', columnName: 'name' }),
    itemFixture({ id: 2, name: 'is positive', measurementType: 'RANGE_MATCH', value: { min: 0 } }),
  ]
  const ran = async (policyId: number, content: string) => {
    const path = join(on.folder, `orders-${policyId}.csv`)
    await writeFile(path, content)
    await documents.put([tableCopyPut(tenant, await on.tableAt(path, { revision: policyId }), position)])
    return on.runKeeping('CSV', policyId, items)
  }
  few = await ran(40, 'order_id,amount,name\n1,-10.5,a\n2,-4,\n3,7,c\n')
  many = await ran(41, `order_id,amount,name\n${orders.join('')}`)
  const app = createHttpApp({
    logger: silent,
    newId: uuidV7,
    metrics: createMetrics(),
    configure: (each) => each.use(firstBadRowsRoute({ firstBadRows: harness.service.firstBadRows, signer })),
  })
  http = await listen(app, { host: '127.0.0.1', port: 0 })
  url = `http://127.0.0.1:${http.port}`
}, 60_000)
afterAll(async () => {
  await http.close()
  await on.close()
})

const adapters: [string, () => FirstBadRows][] = [
  ['in process', () => harness.service.firstBadRows],
  ['over HTTP', () => createFirstBadRowsClient({ url, service: 'notification', signer })],
]

describe.each(adapters)('the first bad rows of a run, %s', (_, port) => {
  const read = (executionId: number, without: readonly Permission[] = [], of = tenant) => {
    const held = new Set(permissions.filter((one) => !without.includes(one)))
    const { signal } = new AbortController()
    return port()({ tenant: of, user: 'ann', permissions: held, executionId, signal })
  }

  it('given a run with bad rows, then they are those of its worst item, with the column that it reads first', async () => {
    expect(await read(few)).toEqual({
      item: 'is positive',
      count: 2,
      columns: ['amount', 'order_id', 'name'],
      rows: [
        ['-10.5', '1', 'a'],
        ['-4', '2', null],
      ],
    })
  })

  it('given a worst item whose rows are beyond the first 100, then they are found', async () => {
    const rows = [150, 151, 152].map((id) => ['-1', String(id), 'n'])
    expect(await read(many)).toMatchObject({ item: 'is positive', count: 250, rows })
  })

  it.each([
    ['the run is unknown', 999_999, [], tenant],
    ['the run belongs to another tenant', 0, [], 'other'],
    ['the user may not see assets', 0, ['ASSET_VIEW'] as const, tenant],
    ['the user may not see policies', 0, ['POLICY_VIEW'] as const, tenant],
  ])('given that %s, then there are none', async (__, id, without, of) => {
    expect(await read(id || few, without, of)).toBeUndefined()
  })

  it('given a protected column, then a user without the right sees it masked, and not the rows that depend on it', async () => {
    await protectAmount(true)
    try {
      expect(await read(few, ['ASSET_PROTECTED_VIEW'])).toMatchObject({
        item: 'has a name',
        count: 1,
        columns: ['name', 'order_id', 'amount'],
        rows: [[null, '2', '***']],
      })
      expect((await read(few))?.item).toBe('is positive')
    } finally {
      await protectAmount(false)
    }
  })
})

describe('the first bad rows over HTTP', () => {
  const ask = async (token: string | undefined, body: string) => {
    const headers = { 'content-type': 'application/json', ...(token === undefined ? {} : { [identityHeader]: token }) }
    return (await fetch(`${url}/internal/first-bad-rows`, { method: 'POST', headers, body })).status
  }
  const tokenOf = (accessKey: string) =>
    signer.sign({ tenant, user: 'ann', accessKey, permissions: new Set(permissions) })

  it('given a token that is not of a service, or a body without a run, then it answers 401 or 400', async () => {
    const body = JSON.stringify({ executionId: few })
    expect(await ask(undefined, body)).toBe(401)
    expect(await ask(tokenOf('assay_ak_of_somebody'), body)).toBe(401)
    expect(await ask(tokenOf('internal:notification'), '{}')).toBe(400)
    expect(await ask(tokenOf('internal:notification'), body)).toBe(200)
  })

  it('given no answer or a refused token, then it throws unavailable: not looking is not finding nothing', async () => {
    const { signal } = new AbortController()
    const asked = { tenant, user: 'ann', permissions: new Set(permissions), executionId: few, signal }
    const stranger = createIdentitySigner({ secret: randomBytes(32), clock: systemClock })
    for (const changed of [{ url: 'http://127.0.0.1:1' }, { signer: stranger }])
      await expect(
        createFirstBadRowsClient({ url, service: 'notification', signer, ...changed })(asked),
      ).rejects.toMatchObject({ code: 'unavailable' })
  })
})

it('given that the rows of the run are gone, then there are none', async () => {
  const stored = await harness.deps.documents.get(executions, tenant, many)
  if (stored?.document.status !== 'succeeded') throw new Error('The run has not succeeded.')
  await harness.artifacts.remove(stored.document.result.files.bad?.key ?? '')
  const { signal } = new AbortController()
  const asked = { tenant, user: 'ann', permissions: new Set(permissions), executionId: many, signal }
  for (const [, port] of adapters) expect(await port()(asked)).toBeUndefined()
})
