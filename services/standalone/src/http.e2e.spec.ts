import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { busGroups } from '@assay/hosting'
import { type AssayProcess, startAssay } from '@assay/testkit'
import { httpSuite } from '@assay/testkit/http-suite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { undocumented } from '../../../deploy/dashboards/documented.ts'
import { missingFrom, queries } from '../../../deploy/dashboards/queries.ts'

let folder: string
let assay: AssayProcess
const admin = { accessKey: 'assay-test-access-key', secretKey: 'assay-test-secret-key' }

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-http-'))
  await mkdir(join(folder, 'shared'))
  assay = await startAssay(join(folder, 'data'), {
    env: { ASSAY_ALLOWED_PATHS: '*=/', ASSAY_FAILED_AUTHENTICATION_LIMIT: '0' },
  })
})
afterAll(async () => {
  expect(await assay.stop()).toBe(0)
  await rm(folder, { recursive: true, force: true })
})

const open = async () => ({ baseUrl: assay.url, admin, sharedFolder: join(folder, 'shared') })

httpSuite(open)

test("given Assay's own data folder, when it is configured as a source, then it is refused", async () => {
  const configuration = { path: join(folder, 'data', 'assay.db') }
  const answer = await assay.call('POST', '/catalog-server/api/assemblies', {
    name: 'own',
    sourceType: 'SQLITE',
    configuration,
  })
  expect([answer.status, answer.json.errors[0]]).toEqual([400, { status: 400, message: expect.stringMatching(/\w/) }])
})

test('given the metrics after the other tests, then they include all metrics of dashboard and alerts, and the docs describe them', async () => {
  const page = await (await fetch(`${assay.url}/metrics`)).text()
  // The tests of the distributed form cover metrics of replicas and of services behind a gateway.
  const here = queries().filter(({ text }) => !/assay_(lease_held|upstream_)/.test(text))
  expect([missingFrom([page], here), undocumented([page])]).toEqual([[], []])
})

test('given every group that a service joins, then its parked messages can be listed and are retried at a restart', async () => {
  const metrics = await (await fetch(`${assay.url}/metrics`)).text()
  const joined = [...metrics.matchAll(/^assay_bus_lag\{group="([\w-]+)"\} /gm)].map(([, group]) => group)
  expect(joined.toSorted()).toEqual(busGroups.toSorted())
})
