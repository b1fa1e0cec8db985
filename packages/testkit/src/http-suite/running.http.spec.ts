import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { httpSuite } from './http-suite.ts'
import type { Target } from './target.ts'

/** `npm run test:http`: all suites against a running installation. */
const { ASSAY_BASE_URL, ASSAY_ACCESS_KEY, ASSAY_SECRET_KEY, ASSAY_SHARED_DIR = tmpdir() } = process.env
if (!ASSAY_BASE_URL || !ASSAY_ACCESS_KEY || !ASSAY_SECRET_KEY)
  throw new Error(
    'Set ASSAY_BASE_URL, ASSAY_ACCESS_KEY and ASSAY_SECRET_KEY, and ASSAY_SHARED_DIR to a folder that Assay sees at the same path.',
  )
const target: Target = {
  baseUrl: ASSAY_BASE_URL.replace(/\/+$/, ''),
  admin: { accessKey: ASSAY_ACCESS_KEY, secretKey: ASSAY_SECRET_KEY },
  sharedFolder: '',
}
const open = async () => {
  if (target.sharedFolder === '') {
    target.sharedFolder = await mkdtemp(join(ASSAY_SHARED_DIR, 'assay-http-'))
    // Assay may run as another user, as in a container.
    await chmod(target.sharedFolder, 0o755)
  }
  return target
}
afterAll(() => (target.sharedFolder === '' ? undefined : rm(target.sharedFolder, { recursive: true, force: true })))

httpSuite(open)
