import type { Condition } from '@assay/documents'
import { planOfListing } from '@assay/documents/testing'
import { describe, expect, it } from 'vitest'
import { executions } from './execution.documents.ts'

describe('given runs of many policies', () => {
  const latest = [{ field: 'startedAt', direction: 'desc' as const }]
  const ofPolicy: Condition = { field: 'policyId', is: 1 }

  it.each<[string, Condition[], string]>([
    ['all runs of one policy', [ofPolicy], '(policyId,startedAt)_1 (tenant=? AND f_policyId=?)'],
    [
      'the successful runs of one policy',
      [ofPolicy, { field: 'executionStatus', is: 'SUCCESSFUL' }],
      '(policyId,startedAt)_1 (tenant=? AND f_policyId=?)',
    ],
    [
      'the runs of one policy with a marker position',
      [ofPolicy, { field: 'markKey', is: 'key' }],
      '(policyId,markKey,startedAt)_1 (tenant=? AND f_policyId=? AND f_markKey=?)',
    ],
  ])('when %s are listed, then the query reads no other runs and does not sort', async (_, where, index) => {
    const plan = await planOfListing(executions, { where, sort: latest, size: 20 })
    expect(plan).toBe(`SEARCH doc_executions USING INDEX doc_executions${index}`)
  })

  it('when runs of two policies are sorted by any field, then runs of other policies are not read', async () => {
    const where = [{ field: 'policyId', in: [1, 2] }]
    for (const field of ['startedAt', 'finishedAt', 'ruleName']) {
      const plan = await planOfListing(executions, { where, sort: [{ field, direction: 'asc' }], size: 20 })
      expect(plan).toMatch(/SEARCH doc_executions USING INDEX \S*policyId\S* \(tenant=\? AND f_policyId=\?/)
    }
  })
})
