import type { Condition } from '@assay/documents'
import { planOfListing } from '@assay/documents/testing'
import { describe, expect, it } from 'vitest'
import { auditLines } from './collection.ts'

describe('given lines by several writers', () => {
  it.each<[string, Condition[], string]>([
    ['all', [], '(at,position)_1 (tenant=?)'],
    ['those since a time', [{ field: 'at', from: '2026' }], '(at,position)_1 (tenant=? AND f_at>?)'],
    ['those of a writer', [{ field: 'actor', is: 'zed' }], '(actor,at,position)_1 (tenant=? AND f_actor=?)'],
    [
      'those of a writer since a time',
      [
        { field: 'actor', is: 'zed' },
        { field: 'at', from: '2026' },
      ],
      '(actor,at,position)_1 (tenant=? AND f_actor=? AND f_at>?)',
    ],
    [
      'those of an action',
      [{ field: 'action', is: 'PolicyCreated' }],
      '(action,at,position)_1 (tenant=? AND f_action=?)',
    ],
    [
      'those of an action by a writer',
      [
        { field: 'actor', is: 'ann' },
        { field: 'action', is: 'PolicyCreated' },
      ],
      '(actor,action,at,position)_1 (tenant=? AND f_actor=? AND f_action=?)',
    ],
    [
      'those of a type by a writer',
      [
        { field: 'actor', is: 'ann' },
        { field: 'entityType', is: 'POLICY' },
      ],
      '(actor,entityType,at,position)_1 (tenant=? AND f_actor=? AND f_entityType=?)',
    ],
    [
      'those of a type',
      [{ field: 'entityType', is: 'POLICY' }],
      '(entityType,at,position)_1 (tenant=? AND f_entityType=?)',
    ],
    [
      'those of an entity',
      [
        { field: 'entityType', is: 'POLICY' },
        { field: 'entityId', is: '7' },
      ],
      '(entityId,entityType,at,position)_1 (tenant=? AND f_entityId=? AND f_entityType=?)',
    ],
  ])('when %s are listed, then the index finds and sorts exactly these', async (_, where, index) => {
    for (const direction of ['asc', 'desc'] as const) {
      const sort = ['at', 'position'].map((field) => ({ field, direction }))
      const plan = await planOfListing(auditLines, { where, sort, size: 50 })
      expect(plan).toBe(`SEARCH doc_audit USING INDEX doc_audit${index}`)
    }
  })

  it('when those of an id are listed without a type, then no other lines are read', async () => {
    const sort = [{ field: 'at', direction: 'desc' as const }]
    const plan = await planOfListing(auditLines, { where: [{ field: 'entityId', is: '7' }], sort, size: 50 })
    expect(plan).toMatch(/SEARCH doc_audit USING INDEX \S*entityId\S* \(tenant=\? AND f_entityId=\?/)
  })
})
