import { mkdir, mkdtemp } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { busGroups } from '@assay/hosting'
import { type AssayProcess, removeData, startAssay } from '@assay/testkit'
import { httpSuite } from '@assay/testkit/http-suite'
import { type MailSink, openMailSink } from '@assay/testkit/mail-sink'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { undocumented } from '../../../deploy/dashboards/documented.ts'
import { missingFrom, queries } from '../../../deploy/dashboards/queries.ts'

let folder: string
let assay: AssayProcess
let mails: MailSink
const admin = { accessKey: 'assay-test-access-key', secretKey: 'assay-test-secret-key' }

const lineageEvent = z.looseObject({
  eventType: z.enum(['START', 'COMPLETE', 'FAIL', 'ABORT']),
  run: z.looseObject({ runId: z.uuid() }),
  job: z.looseObject({ namespace: z.string(), name: z.string() }),
  inputs: z.array(z.looseObject({ name: z.string(), inputFacets: z.record(z.string(), z.unknown()) })).min(1),
})
/** OpenLineage events, and how the receiver answers the next one. */
const lineage = { events: [] as z.infer<typeof lineageEvent>[], status: 503 }
const receiver = createServer(async (request, response) => {
  const event = lineageEvent.parse(await json(request))
  response.statusCode = lineage.status
  if (lineage.status === 201) lineage.events.push(event)
  lineage.status = 201
  response.end()
})

beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  const { port } = receiver.address() as AddressInfo
  mails = await openMailSink({ disabledCommands: ['STARTTLS'] })
  folder = await mkdtemp(join(tmpdir(), 'assay-http-'))
  await mkdir(join(folder, 'shared'))
  assay = await startAssay(join(folder, 'data'), {
    env: {
      ASSAY_ALLOWED_PATHS: '*=/',
      ASSAY_FAILED_AUTHENTICATION_LIMIT: '0',
      ASSAY_OPENLINEAGE_URL: `http://127.0.0.1:${port}`,
      ASSAY_NOTIFY_ALLOWED_ADDRESSES: '127.0.0.1',
      ASSAY_SMTP_URL: `smtp+plain://127.0.0.1:${mails.port}`,
    },
  })
})
afterAll(async () => {
  expect(await assay.stop()).toBe(0)
  receiver.close()
  await mails.close()
  await removeData(folder)
})

const open = async () => ({ baseUrl: assay.url, admin, sharedFolder: join(folder, 'shared') })

httpSuite(open, { hearing: async () => mails })

test("given Assay's own data folder, when it is configured as a source, then it is refused", async () => {
  const configuration = { path: join(folder, 'data', 'assay.db') }
  const answer = await assay.call('POST', '/catalog-server/api/assemblies', {
    name: 'own',
    sourceType: 'SQLITE',
    configuration,
  })
  expect([answer.status, answer.json.errors[0]]).toEqual([400, { status: 400, message: expect.stringMatching(/\w/) }])
})

test('given a receiver of OpenLineage events that failed at first, then it has the start and the end of each run, with the outcomes of its items', async () => {
  const ofRun = (type: string) =>
    lineage.events.find(({ eventType, job }) => eventType === type && job.name.endsWith(' is empty'))
  await vi.waitFor(() => expect(ofRun('COMPLETE')).toBeDefined(), { timeout: 60_000, interval: 100 })
  const [start, end] = [ofRun('START'), ofRun('COMPLETE')]
  expect(start?.run.runId).toBe(end?.run.runId)
  expect(end).toMatchObject({
    job: { namespace: 'assay://default/default' },
    inputs: [
      {
        name: expect.stringMatching(/\.people\.csv$/),
        inputFacets: {
          dataQualityAssertions: { assertions: [{ assertion: 'custom', success: false }] },
          dataQualityMetrics: { rowCount: 3, columnMetrics: {} },
        },
      },
    ],
  })
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
