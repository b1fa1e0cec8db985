import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AssayProcess, startAssay } from '@assay/testkit'
import { fedDocument } from '@assay/testkit/http-suite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { check } from '../../../tools/schemathesis.mjs'

const admin = { accessKey: 'assay-test-access-key', secretKey: 'assay-test-secret-key' }
let folder: string
let assay: AssayProcess

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-schemathesis-'))
  await mkdir(join(folder, 'shared'))
  // It sends a thousand wrong keys, which are all to be told 401.
  assay = await startAssay(join(folder, 'data'), { env: { ASSAY_FAILED_AUTHENTICATION_LIMIT: '0' } })
})
afterAll(async () => {
  expect(await assay.stop()).toBe(0)
  await rm(folder, { recursive: true, force: true })
})

/**
 * `SCHEMATHESIS_EXAMPLES=25 SCHEMATHESIS_SHARE=1 SCHEMATHESIS_ROUNDS=20` for a run of many minutes: so many examples of each
 * operation, all that the phase of coverage knows, more chains. Every phase finds what the server has to have answered.
 */
const {
  SCHEMATHESIS_EXAMPLES = '2',
  SCHEMATHESIS_SHARE = '12',
  SCHEMATHESIS_ROUNDS = '3',
  SCHEMATHESIS_PHASES = 'examples,coverage,fuzzing,stateful',
} = process.env
/** Chains of calls in a round. */
const scenarios = 60

test('given the OpenAPI document, when it is tried on the running server, then nothing that it says is untrue', async () => {
  const document = join(folder, 'openapi.json')
  await writeFile(document, await fedDocument({ baseUrl: assay.url, admin, sharedFolder: join(folder, 'shared') }))
  const { code, output, chains, statuses } = await check({
    document,
    baseUrl: assay.url,
    admin,
    folder,
    scenarios,
    examples: Number(SCHEMATHESIS_EXAMPLES),
    share: Number(SCHEMATHESIS_SHARE),
    rounds: Number(SCHEMATHESIS_ROUNDS),
    phases: SCHEMATHESIS_PHASES,
  })
  const lines = output.split('\n').map((line) => line.slice(0, 400))
  expect(code, lines.join('\n').slice(-20_000)).toBe(0)
  if (SCHEMATHESIS_PHASES.includes('stateful'))
    expect(chains, JSON.stringify(statuses)).toBeGreaterThanOrEqual(Number(SCHEMATHESIS_ROUNDS) * scenarios)
  // A run in which nearly everything was refused, for a wrong key or ids that are nowhere, would say nothing.
  for (const phase of SCHEMATHESIS_PHASES.split(',')) {
    const ofPhase = Object.entries(statuses).filter(([name]) => name.startsWith(`${phase} `))
    const sum = (wanted: RegExp) => ofPhase.reduce((count, [name, times]) => count + (wanted.test(name) ? times : 0), 0)
    expect(sum(/ 2\d\d$/), `${phase}: ${JSON.stringify(statuses)}`).toBeGreaterThan(sum(/./) / 50)
    expect(sum(/ 401$/), `${phase}: ${JSON.stringify(statuses)}`).toBeLessThan(sum(/./) / 50)
  }
}, 3_600_000)
