import { describe, expect, it } from 'vitest'
import { policyFixture } from '../testing/fixtures.ts'
import { seasonZone } from './season-zone.ts'

describe('the zone of the seasons of a policy', () => {
  const ruleOf = (schedule: string | null) => policyFixture({ schedule, timeZone: 'Europe/Berlin' }).policy.rule

  it.each([
    ['a table with a zone', 'Asia/Tokyo', ruleOf('30 1 * * *'), 'Asia/Tokyo'],
    ['a schedule, but no zone of the table', null, ruleOf('30 1 * * *'), 'Europe/Berlin'],
    ['neither', null, ruleOf(null), null],
    ['a policy that is not known yet', null, undefined, null],
  ])('given %s, then it is that of the table, else of the schedule, else UTC', (_, ofTable, rule, zone) => {
    expect(seasonZone(ofTable, rule)).toBe(zone)
  })
})
