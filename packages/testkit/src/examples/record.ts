import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Example } from '@assay/contracts'
import { startAssay } from '../assay-process.ts'
import { createClient } from '../http-suite/client.ts'
import { firstEvent } from './first-event.ts'
import { recordAll } from './record-all.ts'
import { createRecorder } from './recorder.ts'
import { copySources } from './sources.ts'
import { stable } from './stable.ts'

const admin = { accessKey: 'assay-test-access-key', secretKey: 'assay-test-secret-key' }

/**
 * Runs the embedded form on published data, calls every operation, and returns requests and answers by operation id.
 * Rejects if an operation fails: record-all.ts and requests.ts define the calls.
 */
export async function recordExamples(): Promise<Record<string, Example>> {
  const startedAt = Date.now()
  const folder = await mkdtemp(join(tmpdir(), 'assay-examples-'))
  const assay = await startAssay(join(folder, 'data'))
  try {
    const recorder = createRecorder(createClient({ baseUrl: assay.url }, admin), (path) =>
      firstEvent(`${assay.url}${path}`, admin),
    )
    const failures = await recordAll(recorder, await copySources(folder))
    if (failures.length > 0) throw new Error(failures.join('\n'))
    return stable(recorder.examples(), { folder, startedAt, endedAt: Date.now() })
  } finally {
    await assay.stop()
    await rm(folder, { recursive: true, force: true })
  }
}
