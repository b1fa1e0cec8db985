import { runMarkerConfig } from '@assay/contracts'
import { describe, expect, it } from 'vitest'
import { profileWindow } from './profile-window.ts'

const table = {
  columns: [{ id: 1, uid: 'shop.orders.day', name: 'day', dataType: 'DATE' }],
  locator: { kind: 'table' as const, columns: [], fingerprint: '' },
}

describe('the rows of an INCREMENTAL profile', () => {
  it.each([
    [{ type: 'bound', idColumnName: 'gone', fromId: 0 }, 'idColumnName'],
    [{ type: 'boundDateTime', dateColumnName: 'gone' }, 'dateColumnName'],
    [{ type: 'boundDateTime', dateColumnName: 'day', fromDate: 'soon' }, 'fromDate'],
  ])('given %j, which cannot be used, then the error names the field %s of the request', (sent, field) => {
    const markerConfig = runMarkerConfig.parse(sent)
    const read = () => profileWindow({ profilingType: 'INCREMENTAL', markerConfig }, table)
    expect(read).toThrow(`data.markerConfig.${field}: `)
  })
})
