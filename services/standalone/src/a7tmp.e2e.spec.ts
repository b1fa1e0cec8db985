import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AssayProcess, startAssay } from '@assay/testkit'
import { auditSuite } from '@assay/testkit/http-suite'
import { afterAll, beforeAll, expect } from 'vitest'

let folder: string
let assay: AssayProcess
const admin = { accessKey: 'assay-test-access-key', secretKey: 'assay-test-secret-key' }
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-http-'))
  await mkdir(join(folder, 'shared'))
  assay = await startAssay(join(folder, 'data'))
})
afterAll(async () => {
  expect(await assay.stop()).toBe(0)
  await rm(folder, { recursive: true, force: true })
})
auditSuite(async () => ({ baseUrl: assay.url, admin, sharedFolder: join(folder, 'shared') }))
