import { describe, expect, it } from 'vitest'
import '../problems/plain-words.ts'
import { policyRequests } from './policy-families.ts'

const query = { sqlExpression: 'SELECT 1', queryType: 'SQL' }

describe.each(['create', 'update'] as const)('given the body of a request to %s a data quality policy', (kind) => {
  const request = policyRequests.quality[kind]

  it.each<[string, object]>([
    ['rule.subType', { rule: { name: 'orders', subType: 'SQL' } }],
    ['rule.customSqlConfig', { rule: { name: 'orders', customSqlConfig: query } }],
    [
      'transformUDFs',
      { rule: { name: 'orders' }, transformUDFs: [{ assetId: 1, udfId: 1, name: 'trim', parameters: [] }] },
    ],
    ['childRules', { rule: { name: 'orders' }, childRules: [{ name: 'part' }] }],
  ])('when %s would change which rows are checked, then it is refused with advice', (path, body) => {
    const { error } = request.safeParse(body)
    expect(error?.issues.map((issue) => [issue.path.join('.'), issue.message])).toEqual([
      [path, expect.stringMatching(/^is not supported: create a /)],
    ])
  })

  it('when an item has an unknown aggregate, then the error lists the known ones', () => {
    const items = [{ measurementType: 'AGGREGATES', aggregateType: 'MEDIAN', columnName: 'amount' }]
    const { error } = request.safeParse({ rule: { name: 'orders' }, items })
    expect(error?.issues.map((issue) => issue.message)).toEqual(['must be one of SUM, AVG, MIN, MAX, COUNT'])
  })

  it.each([
    ['Banana', ''],
    ['bound', ''],
    ['IdMarkerConfg', "; did you mean 'IdMarkerConfig'?"],
  ])('when it has a marker of the unusable type %s, then it is refused with the allowed types', (type, meant) => {
    const marker = { type, columnName: 'id' }
    const { error } = request.safeParse({ rule: { name: 'orders', backingAsset: { marker } }, items: [] })
    const known =
      'IdMarkerConfig, DateTimeMarkerConfig, FileEventMarkerConfig, TimestampBasedMarkerConfig, DateBasedPartitionMarkerConfig, DayMonthYearBasedPartitionMarkerConfig'
    expect(error?.issues.map((issue) => [issue.path.join('.'), issue.message])).toContainEqual([
      'rule.backingAsset.marker.type',
      `must be one of ${known}${meant}`,
    ])
  })

  it.each([null, undefined])('when these fields are %s or empty, as in records, then it is accepted', (nothing) => {
    const rule = { name: 'orders', subType: nothing ?? 'ASSET', customSqlConfig: nothing }
    expect(request.safeParse({ rule, transformUDFs: nothing ?? [], childRules: nothing ?? [] }).success).toBe(true)
  })
})
