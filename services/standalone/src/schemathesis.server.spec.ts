import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AssayProcess, startAssay } from '@assay/testkit'
import { schemathesisSuite } from '@assay/testkit/http-suite'
import { afterAll, beforeAll, expect } from 'vitest'

const admin = { accessKey: 'assay-test-access-key', secretKey: 'assay-test-secret-key' }
let folder: string
let assay: AssayProcess

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-tried-'))
  await mkdir(join(folder, 'shared'))
  assay = await startAssay(join(folder, 'data'), { env: { ASSAY_FAILED_AUTHENTICATION_LIMIT: '0' } })
})
afterAll(async () => {
  expect(await assay.stop()).toBe(0)
  await rm(folder, { recursive: true, force: true })
})

schemathesisSuite(async () => ({ baseUrl: assay.url, admin, sharedFolder: join(folder, 'shared') }))
