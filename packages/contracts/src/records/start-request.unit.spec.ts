import { describe, expect, it } from 'vitest'
import { startRequest } from './start-request.ts'

describe('the body that starts a run', () => {
  it('may be absent, or hold nulls and unused fields', () => {
    expect(startRequest.parse(undefined)).toEqual({})
    const sent = {
      autoRetryEnabled: false,
      columnVariables: [{ name: 'n', isNumber: true, value: null, getOnlyWithVariableName: { name: 'n' } }],
      engineType: 'SPARK',
      rightEngineType: 'SPARK',
      executionType: 'FULL',
      includeInQualityScore: true,
      resourceStrategyType: 'INVENTORY',
      markerConfigs: null,
      ruleItemSelections: null,
      sparkFilterSelectedColumns: null,
      sparkSQLDynamicFilterVariableMapping: null,
      rightSparkSQLDynamicFilterVariableMapping: [{ ruleName: 'r', mapping: [{ key: 'k', value: null }] }],
      unknown: [1],
    }
    expect(startRequest.parse(sent)).toMatchObject({ executionType: 'FULL', includeInQualityScore: true })
    expect(startRequest.parse({ executionType: 'INCREMENTAL' })).toMatchObject({ executionType: 'INCREMENTAL' })
  })
  it.each([[undefined], [[]], [[{ assetId: 1, markerConfig: null }]]])(
    'given SELECTIVE with the markers %j, then it is refused and the error names the field, whatever the policy',
    (markerConfigs) => {
      const { error } = startRequest.safeParse({ executionType: 'SELECTIVE', markerConfigs })
      expect(error?.issues.map(({ path }) => path)).toEqual([['markerConfigs']])
    },
  )
  it('accepts the short names of markers', () => {
    const markers = [
      { assetId: 1, markerConfig: { type: 'id', baseAssetId: null, idColumnName: 'n', fromId: 1, toId: 5 } },
      { assetId: 1, markerConfig: { type: 'datetime', dateColumnName: 'd', fromDate: '2026-01-01', toDate: null } },
      { assetId: 1, markerConfig: { type: 'timestamp', initialOffset: '0' } },
      { assetId: 1, markerConfig: { type: 'boundFileEvent', dateColumnName: 'd' } },
      { assetId: 1, markerConfig: null },
    ]
    const { markerConfigs } = startRequest.parse({ markerConfigs: markers })
    expect(markerConfigs?.map(({ markerConfig }) => markerConfig?.type)).toEqual([
      'bound',
      'boundDateTime',
      'TimestampBasedMarkerConfig',
      'boundFileEvent',
      undefined,
    ])
  })
  it('accepts a marker with one bound, which short names may call initialOffset', () => {
    const parsed = (markerConfig: object) =>
      startRequest.parse({ markerConfigs: [{ assetId: 1, markerConfig }] }).markerConfigs?.[0]?.markerConfig
    expect(parsed({ type: 'bound', idColumnName: 'n', fromId: 2, toId: null })).toMatchObject({ fromId: 2 })
    expect(parsed({ type: 'id', idColumnName: 'n', toId: 2 })).toMatchObject({ type: 'bound', toId: 2 })
    expect(parsed({ type: 'id', idColumnName: 'n', initialOffset: 3 })).toMatchObject({ type: 'bound', fromId: 3 })
    expect(parsed({ type: 'id', idColumnName: 'n', fromId: 1, initialOffset: 3 })).toMatchObject({ fromId: 1 })
    const dates = { type: 'datetime', dateColumnName: 'd', fromDate: null, initialOffset: '2026-01-01' }
    expect(parsed(dates)).toMatchObject({ type: 'boundDateTime', fromDate: '2026-01-01' })
  })
  it.each<[object, string]>([
    [
      { markerConfigs: [{ assetId: 1, markerConfig: { type: 'bound', idColumnName: 'n', fromId: null } }] },
      'markerConfigs.0.markerConfig.fromId',
    ],
    [
      { markerConfigs: [{ assetId: 1, markerConfig: { type: 'id', idColumnName: 'n', initialOffset: '3' } }] },
      'markerConfigs.0.markerConfig.fromId',
    ],
    [{ executionType: 'HALF' }, 'executionType'],
    [{ includeInQualityScore: 'yes' }, 'includeInQualityScore'],
    [{ ruleItemSelections: ['1'] }, 'ruleItemSelections.0'],
    [{ ruleItemSelections: 1 }, 'ruleItemSelections'],
    [{ sparkResourceConfig: [] }, 'sparkResourceConfig'],
    [{ sparkResourceConfig: { livy: { driverCores: '2' } } }, 'sparkResourceConfig.livy.driverCores'],
    [{ columnVariables: {} }, 'columnVariables'],
    [{ columnVariables: [{ name: 'n', isNumber: 'no' }] }, 'columnVariables.0.isNumber'],
    [{ columnVariables: [{ isNumber: true }] }, 'columnVariables.0.name'],
    [{ engineType: 'FAST' }, 'engineType'],
    [{ rightEngineType: 1 }, 'rightEngineType'],
    [{ sparkSQLDynamicFilterVariableMapping: 'a' }, 'sparkSQLDynamicFilterVariableMapping'],
    [
      { rightSparkSQLDynamicFilterVariableMapping: [{ mapping: [{ key: 1 }] }] },
      'rightSparkSQLDynamicFilterVariableMapping.0.mapping.0.key',
    ],
    [{ resourceStrategyType: 'ANY' }, 'resourceStrategyType'],
    [{ markerConfigs: {} }, 'markerConfigs'],
    [{ markerConfigs: [{ assetId: '1' }] }, 'markerConfigs.0.assetId'],
    [{ markerConfigs: [{ assetId: 1, markerConfig: { type: 'toString' } }] }, 'markerConfigs.0.markerConfig.type'],
    [
      { markerConfigs: [{ assetId: 1, markerConfig: { type: 'bound', idColumnName: 'n', fromId: '1', toId: 2 } }] },
      'markerConfigs.0.markerConfig.fromId',
    ],
    [
      { markerConfigs: [{ assetId: 1, markerConfig: { type: 'bound', idColumnName: 'n', fromId: 3, toId: 2 } }] },
      'markerConfigs.0.markerConfig.fromId',
    ],
  ])('%j is refused by field name', (body, path) => {
    const { error } = startRequest.safeParse(body)
    expect(error?.issues.map((issue) => issue.path.join('.'))).toEqual([path])
  })
})
