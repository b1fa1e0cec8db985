import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CloudEvent, Example, PolicyType } from '@assay/contracts'
import { startAssay } from '../assay-process.ts'
import { createClient } from '../http-suite/client.ts'
import { causeEvents } from './cause-events.ts'
import { firstEvent } from './first-event.ts'
import { readEvents } from './read-events.ts'
import { recordAll } from './record-all.ts'
import { createRecorder } from './recorder.ts'
import { copySources } from './sources.ts'
import { stable } from './stable.ts'

const admin = { accessKey: 'assay-test-access-key', secretKey: 'assay-test-secret-key' }

export interface Recorded {
  /** Requests and answers by operation id. */
  operations: Record<string, Example>
  /** The first event of each type. */
  events: Record<string, CloudEvent>
}

/**
 * Runs the embedded form on published data, calls every operation, and returns requests, answers and events. Rejects if an
 * operation fails: record-all.ts and requests.ts define the calls. `storesRows`: whether runs of a type of policy store
 * rows.
 */
export async function recordExamples(storesRows: (type: PolicyType) => boolean): Promise<Recorded> {
  const startedAt = Date.now()
  const folder = await mkdtemp(join(tmpdir(), 'assay-examples-'))
  const assay = await startAssay(join(folder, 'data'))
  try {
    const client = createClient({ baseUrl: assay.url }, admin)
    const recorder = createRecorder(client, (path) => firstEvent(`${assay.url}${path}`, admin))
    const failures = await recordAll(recorder, await copySources(folder), storesRows)
    if (failures.length > 0) throw new Error(failures.join('\n'))
    await causeEvents(client, join(folder, 'lake'))
    const { id: lastTag } = await client.good('POST', '/catalog-server/api/tags', { name: 'recorded' })
    const from = { baseUrl: assay.url, pair: admin, since: new Date(startedAt).toISOString() }
    const read = await readEvents(from, ({ subject }) => subject === `tag/${lastTag}`)
    const byType = read.reverse().map((event) => [event.type, event] as const)
    const events = Object.fromEntries(byType.toSorted(([one], [other]) => (one < other ? -1 : 1)))
    return stable({ operations: recorder.examples(), events }, { folder, startedAt, endedAt: Date.now() })
  } finally {
    await assay.stop()
    await rm(folder, { recursive: true, force: true })
  }
}
