import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Documents, documentPut } from '@assay/documents'
import { createSqliteDocuments } from '@assay/documents/sqlite'
import { openDatabase } from '@assay/sqlite'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { executions } from '../execution/execution.documents.ts'
import { incidents } from '../incidents/incident.documents.ts'
import { type Incident, statusOf } from '../incidents/incident.ts'
import { createNoteEnds } from '../listing/note-ends.ts'
import { executionCollections } from '../service.ts'
import { createEndOfRun } from '../starting/run-ends.ts'
import { runFixture } from '../testing/fixtures.ts'
import { policyRunsCollection } from './policy-runs.documents.ts'
import { noRuns, type PolicyRuns } from './policy-runs.ts'
import { createShownEnd } from './shown-end.ts'

const [tenant, policyId, executionId] = ['t', 7, 5]
const at = '2026-11-20T10:00:00.000Z'
const opened: Incident = {
  ...{ id: executionId, policyName: 'p', assets: [], verdict: 'ERRORED', openedAt: at, lastAt: at, count: 1 },
  ...{ executions: [executionId], lastGood: null, acknowledged: null, snoozedUntil: null, assignee: null },
  ...{ recovered: null, closed: null },
}
const run = runFixture({ executionId, policy: { ...runFixture().policy, id: policyId } })
const failed = { status: 'failed' as const, run, error: 'x', finishedAt: at }

let documents: Documents
let close: () => Promise<void>
beforeEach(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-ends-'))
  const database = openDatabase({ path: join(folder, 'assay.db') })
  documents = createSqliteDocuments({ database, collections: executionCollections })
  close = async () => {
    await documents.close()
    await database.close()
    await rm(folder, { recursive: true })
  }
  await documents.put([documentPut(executions, tenant, executionId, failed, { revision: 3, position: '3' })])
  await runs(0, { ...noRuns, open: { executionId, at, scheduled: null, trigger: null } })
})
afterEach(() => close())

const runs = (revision: number, state: PolicyRuns) =>
  documents.put([documentPut(policyRunsCollection, tenant, policyId, state, { revision, position: '9' })])
const incidentNow = async () => (await documents.get(incidents, tenant, executionId))?.document.incident

/** Another process puts the documents of the closed run, one at each pause. */
function slowly() {
  const puts = [
    () => runs(2, { ...noRuns, incident: opened }),
    () =>
      documents.put([
        documentPut(incidents, tenant, executionId, { policyId, incident: opened }, { revision: 2, position: '9' }),
      ]),
  ]
  return { sleep: async () => void (await puts.shift()?.()) }
}

it('given a run that ended, and an incident whose document follows later, then a start that waits answers with it in view', async () => {
  const timers = slowly()
  const clock = { now: () => 0 }
  const endOfRun = createEndOfRun({ documents, clock, timers, shownEnd: createShownEnd({ documents, timers }) })
  const owner = { tenant, accessKey: 'key' }
  const ended = await endOfRun(owner, executionId, { seconds: 9, signals: [new AbortController().signal] })
  expect([ended?.status, (await incidentNow())?.id]).toEqual(['failed', executionId])
})

it('given a run that another process has closed, and an incident whose document follows later, then a read of incidents sees it', async () => {
  const register = { mend: async () => true }
  const noteEnds = createNoteEnds({ documents, register, shownEnd: createShownEnd({ documents, timers: slowly() }) })
  await noteEnds(tenant)
  expect(statusOf((await incidentNow()) ?? { ...opened, closed: { by: 'nobody', at, cause: null } })).toBe('OPEN')
})
