import type { Condition } from '@assay/documents'
import { planOfListing } from '@assay/documents/testing'
import { describe, expect, it } from 'vitest'
import { auditLines } from './collection.ts'

describe('given lines by several actors', () => {
  it.each<[string, Condition[], string]>([
    ['all lines', [], '(at,position)_1 (tenant=?)'],
    ['lines since a time', [{ field: 'at', from: '2026' }], '(at,position)_1 (tenant=? AND f_at>?)'],
    ['lines of an actor', [{ field: 'actor', is: 'zed' }], '(actor,at,position)_1 (tenant=? AND f_actor=?)'],
    [
      'lines of an actor since a time',
      [
        { field: 'actor', is: 'zed' },
        { field: 'at', from: '2026' },
      ],
      '(actor,at,position)_1 (tenant=? AND f_actor=? AND f_at>?)',
    ],
    [
      'lines of an action',
      [{ field: 'action', is: 'PolicyCreated' }],
      '(action,at,position)_1 (tenant=? AND f_action=?)',
    ],
    [
      'lines of an action by an actor',
      [
        { field: 'actor', is: 'ann' },
        { field: 'action', is: 'PolicyCreated' },
      ],
      '(actor,action,at,position)_1 (tenant=? AND f_actor=? AND f_action=?)',
    ],
    [
      'lines of a type by an actor',
      [
        { field: 'actor', is: 'ann' },
        { field: 'entityType', is: 'POLICY' },
      ],
      '(actor,entityType,at,position)_1 (tenant=? AND f_actor=? AND f_entityType=?)',
    ],
    [
      'lines of a type',
      [{ field: 'entityType', is: 'POLICY' }],
      '(entityType,at,position)_1 (tenant=? AND f_entityType=?)',
    ],
    [
      'lines of an entity',
      [
        { field: 'entityType', is: 'POLICY' },
        { field: 'entityId', is: '7' },
      ],
      '(entityId,entityType,at,position)_1 (tenant=? AND f_entityId=? AND f_entityType=?)',
    ],
  ])('when %s are listed, then the query reads no others and does not sort', async (_, where, index) => {
    for (const direction of ['asc', 'desc'] as const) {
      const sort = ['at', 'position'].map((field) => ({ field, direction }))
      const plan = await planOfListing(auditLines, { where, sort, size: 50 })
      expect(plan).toBe(`SEARCH doc_audit USING INDEX doc_audit${index}`)
    }
  })

  it('when lines of an id are listed without a type, then the query reads no others', async () => {
    const sort = [{ field: 'at', direction: 'desc' as const }]
    const plan = await planOfListing(auditLines, { where: [{ field: 'entityId', is: '7' }], sort, size: 50 })
    expect(plan).toMatch(/SEARCH doc_audit USING INDEX \S*entityId\S* \(tenant=\? AND f_entityId=\?/)
  })
})
