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
  assay = await startAssay(join(folder, 'data'))
})
afterAll(async () => {
  expect(await assay.stop()).toBe(0)
  await rm(folder, { recursive: true, force: true })
})

/** `SCHEMATHESIS_EXAMPLES=200 SCHEMATHESIS_PHASES=examples,coverage,fuzzing` for a longer run. */
const { SCHEMATHESIS_EXAMPLES = '3', SCHEMATHESIS_PHASES: phases = 'examples,fuzzing' } = process.env
const examples = Number(SCHEMATHESIS_EXAMPLES)

test('given the OpenAPI document, when it is tried on the running server, then nothing that it says is untrue', async () => {
  const document = join(folder, 'openapi.json')
  await writeFile(document, await fedDocument({ baseUrl: assay.url, admin, sharedFolder: join(folder, 'shared') }))
  const { code, output } = await check({ document, baseUrl: assay.url, admin, folder, examples, phases })
  const lines = output.split('\n').map((line) => line.slice(0, 400))
  expect(code, lines.join('\n').slice(-20_000)).toBe(0)
}, 900_000)
