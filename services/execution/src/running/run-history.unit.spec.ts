import type { Documents } from '@assay/documents'
import { describe, expect, it } from 'vitest'
import type { AcceptedRun } from '../execution/run.ts'
import { policyFixture, runFixture } from '../testing/fixtures.ts'
import { runHistory } from './run-history.ts'

const relative = {
  type: 'RELATIVE' as const,
  success: 10,
  warning: null,
  config: { direction: 'CHANGES_BY', operator: 'LTE', unit: 'PERCENTAGE', isDirectional: false, success: 10 },
  operationalConfig: { lookBack: { window: 3, windowType: 'RUNS' } },
}

async function askedBy(executionType: AcceptedRun['executionType'], rule: object = {}) {
  const asked: unknown[] = []
  const find: Documents['find'] = async (_collection, _tenant, query) => {
    asked.push(...(query.where ?? []))
    return { documents: [], count: 0 }
  }
  const message = policyFixture({ thresholdLevel: relative, ...rule })
  await runHistory({ find }, 'default', runFixture({ executionType }, message))
  return asked
}

describe('the runs that a threshold looks back at', () => {
  it.each(['FULL', 'INCREMENTAL'] as const)('%s runs for a %s run', async (executionType) => {
    expect(await askedBy(executionType)).toContainEqual({ field: 'executionType', is: executionType })
  })
  it('none for a SELECTIVE run, nor where the score decides nothing', async () => {
    expect(await askedBy('SELECTIVE')).toEqual([])
    expect(await askedBy('FULL', { verdictBy: 'ITEMS' })).toEqual([])
  })
})
