import { describe, expect, it } from 'vitest'
import { assetConfigurationRequest } from './asset-configuration.ts'

describe('a request that configures an asset', () => {
  it.each<[object, string]>([
    [{ sparkResourceConfig: [] }, 'sparkResourceConfig'],
    [{ sparkResourceConfig: { livy: 1 } }, 'sparkResourceConfig.livy'],
    [{ sparkResourceConfig: { yunikorn: { executorMemory: 2 } } }, 'sparkResourceConfig.yunikorn.executorMemory'],
    [{ sparkResourceConfig: { databricks: { minWorkers: 'two' } } }, 'sparkResourceConfig.databricks.minWorkers'],
    [{ sparkResourceConfig: { additionalConfiguration: { a: 1 } } }, 'sparkResourceConfig.additionalConfiguration.a'],
    [{ owner: [1] }, 'owner'],
    [{ owner: [''] }, 'owner.0'],
    [{ owner: ['ann', ' '] }, 'owner.1'],
    [{ owner: ' ' }, 'owner'],
    [{ team: [''] }, 'team.0'],
    [{ markerConfiguration: { type: 'Banana' } }, 'markerConfiguration.type'],
    [
      { notificationChannels: { configuredNotificationGroupIds: ['1'] } },
      'notificationChannels.configuredNotificationGroupIds.0',
    ],
    [{ notificationChannels: { notifyOn: 'NOPE' } }, 'notificationChannels.notifyOn'],
    [{ notificationChannels: { severity: 7 } }, 'notificationChannels.severity'],
    [{ notificationChannels: { a: '\0' } }, 'notificationChannels.a'],
    [{ markerConfiguration: { columnName: 'id' } }, 'markerConfiguration.type'],
    [
      { markerConfiguration: { type: 'IdMarkerConfig', columnName: 'id', initialOffset: {} } },
      'markerConfiguration.initialOffset',
    ],
  ])('%j is refused by field name', (sent, path) => {
    for (const [body, at] of [
      [sent, path],
      [{ assetConfiguration: sent }, `assetConfiguration.${path}`],
    ] as const) {
      const { error } = assetConfigurationRequest.safeParse(body)
      expect(error?.issues.map((issue) => issue.path.join('.'))).toEqual([at])
    }
  })

  it('given an empty owner or team, or null resources, then they are cleared', () => {
    const cleared = { owner: '', team: [], sparkResourceConfig: null }
    expect(assetConfigurationRequest.parse(cleared)).toMatchObject(cleared)
    const inner = assetConfigurationRequest.parse({ sparkResourceConfig: {}, assetConfiguration: cleared })
    expect(inner).toMatchObject(cleared)
    expect(assetConfigurationRequest.parse({ owner: null })).toEqual({})
  })

  it('given resources with unknown fields, then the known ones are kept', () => {
    const sent = { sparkResourceConfig: { livy: { driverCores: 2, executorCores: null, more: 1 }, yunikorn: null } }
    expect(assetConfigurationRequest.parse(sent).sparkResourceConfig).toEqual({ livy: { driverCores: 2 } })
  })

  it('given resources that are too large for a change event, then they are refused', () => {
    const additionalConfiguration = Object.fromEntries(['a', 'b', 'c'].map((key) => [key, 'x'.repeat(9000)]))
    const { error } = assetConfigurationRequest.safeParse({ sparkResourceConfig: { additionalConfiguration } })
    expect(error?.issues.map(({ path }) => path.join('.'))).toEqual(['sparkResourceConfig'])
  })
})
