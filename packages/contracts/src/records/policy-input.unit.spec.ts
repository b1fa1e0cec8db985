import { describe, expect, it } from 'vitest'
import '../problems/plain-words.ts'
import { policyTable } from './policies/table.ts'

const query = { sqlExpression: 'SELECT 1', queryType: 'SQL' }

describe.each(['create', 'update'] as const)('given the body of a request to %s a data quality policy', (kind) => {
  const request = policyTable.DATA_QUALITY.requests[kind]

  it.each<[string, object]>([
    ['rule.subType', { rule: { name: 'orders', subType: 'SQL' } }],
    ['rule.customSqlConfig', { rule: { name: 'orders', customSqlConfig: query } }],
    [
      'transformUDFs',
      { rule: { name: 'orders' }, transformUDFs: [{ assetId: 1, udfId: 1, name: 'trim', parameters: [] }] },
    ],
    ['childRules', { rule: { name: 'orders' }, childRules: [{ name: 'part' }] }],
    ['rule.childRules', { rule: { name: 'orders', childRules: [{ name: 'part' }] } }],
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

describe.each([
  ['DATA_QUALITY', { measurementType: 'AGGREGATES', aggregateType: 'SUM', columnName: 'amount' }],
  ['DATA_DRIFT', { columnName: 'amount', metricType: 'MEAN' }],
  ['PROFILE_ANOMALY', { metrics: ['ROW_COUNT'] }],
  ['DATA_CADENCE', { measurementType: 'RECORD_COUNT_TOTAL' }],
] as const)('given an item of type %s that learns', (type, item) => {
  const problemsOf = (successSensitivityLevel: string, warningSensitivityLevel: string | null) => {
    const thresholdConfig = { type: 'ANOMALY', config: { successSensitivityLevel, warningSensitivityLevel } }
    const body = { rule: { name: 'orders' }, items: [{ ...item, thresholdConfig }] }
    const { error } = policyTable[type].requests.update.safeParse(body)
    return (error?.issues ?? []).map((issue) => issue.path.join('.'))
  }

  it('when nothing could be a warning, because an error fires first, then it is refused', () => {
    for (const [success, warning] of [
      ['HIGH', 'MEDIUM'],
      ['MEDIUM', 'LOW'],
      ['MEDIUM', 'MEDIUM'],
    ] as const)
      expect(problemsOf(success, warning)).toEqual(['items.0.thresholdConfig.config.warningSensitivityLevel'])
  })

  it('when warnings are more sensitive than errors, or there are none, then it is accepted', () => {
    for (const warning of ['MEDIUM', 'HIGH', null]) expect(problemsOf('LOW', warning)).toEqual([])
  })
})
