import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Documents, documentPut } from '@assay/documents'
import { createSqliteDocuments } from '@assay/documents/sqlite'
import { openDatabase } from '@assay/sqlite'
import { expect, it } from 'vitest'
import { executions } from '../execution/execution.documents.ts'
import { policyRunsCollection } from '../policy-runs/policy-runs.documents.ts'
import { noRuns } from '../policy-runs/policy-runs.ts'
import { executionCollections } from '../service.ts'
import { runFixture } from '../testing/fixtures.ts'
import { createNoteEnds } from './note-ends.ts'
import { createPolicyPages } from './policy-pages.ts'

const at = '2026-11-20T10:00:00.000Z'
const source = { revision: 0, position: '1' }
const waiting = (executionId: number) => ({
  status: 'waiting' as const,
  fence: 0,
  lost: 0,
  run: runFixture({ executionId }),
})

const fail = async () => {
  throw new Error('No run should be read.')
}

it('given open runs, when a page without open runs is read, then no open run is read', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-pages-'))
  const database = openDatabase({ path: join(folder, 'assay.db') })
  const documents = createSqliteDocuments({ database, collections: executionCollections })
  for (const id of [1, 2, 3]) {
    const runs = { ...noRuns, open: { executionId: id, at, scheduled: null, trigger: null } }
    await documents.put([
      documentPut(executions, 't', id, waiting(id), source),
      documentPut(policyRunsCollection, 't', id, runs, source),
    ])
  }
  let read = 0
  const counting: Pick<Documents, 'find'> = {
    find: async (collection, tenant, query) => {
      const found = await documents.find(collection, tenant, query)
      if (collection.name === executions.name) read += found.documents.length
      return found
    },
  }
  const pages = createPolicyPages({
    documents: counting,
    noteEnds: createNoteEnds({ documents: counting, register: { mend: async () => false }, shownEnd: fail }),
    shownRuns: { one: fail, all: fail },
  })
  const identity = { tenant: 't', user: 'ann', accessKey: 'key', permissions: new Set<never>() }
  const call = { identity, seen: new Map(), signal: new AbortController().signal }
  const { rows } = await pages.latest(call, [{ field: 'id', in: [10] }], { page: 0, size: 10 })
  expect([rows, read]).toEqual([[], 0])
  await documents.close()
  await database.close()
  await rm(folder, { recursive: true })
})
