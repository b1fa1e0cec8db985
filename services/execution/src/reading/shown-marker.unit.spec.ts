import { describe, expect, it } from 'vitest'
import { shownMarker } from './shown-marker.ts'

describe('a marker in an answer', () => {
  it.each([
    [
      { type: 'boundDateTime', dateColumnName: 'd', fromDate: '2026-01-01' },
      { type: 'boundDateTime', dateColumnName: 'd', fromDate: '2026-01-01', format: '', timeZoneId: 'UTC' },
    ],
    [
      { type: 'boundDateTime', dateColumnName: 'd', format: 'yyyy', timeZoneId: 'Europe/Berlin' },
      { type: 'boundDateTime', dateColumnName: 'd', format: 'yyyy', timeZoneId: 'Europe/Berlin' },
    ],
    [
      { type: 'boundFileEvent', fromDate: '2026-01-01', timeZoneId: null },
      { type: 'boundFileEvent', fromDate: '2026-01-01', dateColumnName: '', timeZoneId: 'UTC' },
    ],
    [
      { type: 'partition', partition: 'day=1' },
      { type: 'partition', partition: 'day=1', subType: '' },
    ],
    [
      { type: 'bound', idColumnName: 'n', fromId: 1 },
      { type: 'bound', idColumnName: 'n', fromId: 1 },
    ],
    [{ type: 'toString' }, { type: 'toString' }],
    [null, null],
  ])('%j is shown as %j', (marker, shown) => {
    expect(shownMarker(marker)).toEqual(shown)
  })
})
