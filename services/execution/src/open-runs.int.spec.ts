import { openStores, silent } from '@assay/hosting/testing'
import { createMetrics } from '@assay/service-kit'
import { openWork, openWorkOf } from '@assay/work'
import { expect, it, vi } from 'vitest'
import { executionDocuments, executions } from './execution/execution.documents.ts'
import { reportOpenRuns } from './open-runs.ts'
import { runFixture } from './testing/fixtures.ts'
import { createManualTimers } from './testing/harness.ts'

it('given open runs of several tenants, then metrics have their number and the oldest without those that wait until later, and no run is read', async () => {
  const clock = { time: Date.parse('2026-11-20T10:01:00.000Z'), now: () => clock.time }
  const stores = await openStores({ name: 'open-runs', collections: [executions, openWork], clock })
  const { documents } = stores
  const run = runFixture({ startedAt: '2026-11-20T10:00:00.000Z' })
  const waiting = { status: 'waiting' as const, fence: 0, lost: 0, run }
  const delayed = { ...waiting, fence: 1, waitsUntil: '2026-11-20T10:05:00.000Z' }
  const aborted = { status: 'aborted' as const, run, by: 'ann', finishedAt: run.startedAt }
  await documents.put([
    ...executionDocuments(waiting, { tenant: 'a', id: 1 }, { revision: 0, position: '1' }),
    ...executionDocuments(waiting, { tenant: 'b', id: 1 }, { revision: 0, position: '2' }),
    ...executionDocuments(waiting, { tenant: 'a', id: 2 }, { revision: 0, position: '3' }),
    ...executionDocuments(delayed, { tenant: 'a', id: 3 }, { revision: 0, position: '3' }),
    ...executionDocuments(aborted, { tenant: 'a', id: 2 }, { revision: 1, position: '4' }),
  ])
  const open: string[] = []
  for await (const { tenant, id } of openWorkOf(documents, 'run')) open.push(`${tenant}${id}`)
  expect(open).toEqual(['a1', 'b1', 'a3'])
  const find = vi.spyOn(documents, 'find')
  const metrics = createMetrics()
  const report = reportOpenRuns({ documents, metrics, clock, timers: createManualTimers(), logger: silent })
  report.start()
  await report.stop()
  const text = await metrics.text()
  expect(text).toContain('assay_runs{state="waiting"} 2')
  expect(text).toContain('assay_runs{state="running"} 0')
  expect(text).toContain('assay_oldest_waiting_run_age_seconds 60')
  expect(find.mock.calls.map(([{ name }]) => name)).toEqual([openWork.name, openWork.name])
  await stores.close()
})
