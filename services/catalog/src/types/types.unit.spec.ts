import { describe, expect, it } from 'vitest'
import { assetTypeNamed, assetTypeOf, assetTypes, crawlableTypes } from './asset-types.ts'
import { bucketedDataType } from './bucketed-data-type.ts'
import { sourceTypeNamed, sourceTypes } from './source-types.ts'

describe('asset types', () => {
  it('are 69 with unique ids, which never change', () => {
    expect(assetTypes).toHaveLength(69)
    expect(new Set(assetTypes.map((type) => type.name)).size).toBe(69)
    expect(assetTypes.map((type) => type.id)).toEqual(assetTypes.map((_, index) => index + 1))
    expect([assetTypeNamed('TABLE').id, assetTypeNamed('FILE').id, assetTypeNamed('ICEBERG_NAMESPACE').id]).toEqual([
      4, 11, 69,
    ])
  })

  it('define what can be monitored, profiled and sampled', () => {
    expect(assetTypeNamed('FILE')).toMatchObject({ canMonitor: true, canProfile: true, canSample: true })
    expect(assetTypeNamed('COLUMN')).toMatchObject({ canMonitor: false, canProfile: true, canSample: true })
    expect(assetTypeNamed('DIRECTORY')).toMatchObject({ canMonitor: false, canProfile: false, canSample: false })
    expect(crawlableTypes).toHaveLength(10)
  })

  it('refuse an unknown id', () => {
    expect(() => assetTypeOf(70)).toThrow('no asset type')
  })
})

describe('source types', () => {
  it('have exactly the keys of the closed record', () => {
    const keys = ['id', 'name', 'sourceModel', 'connectionTypeId', 'miniProfiling', 'propertyTemplates']
    for (const type of sourceTypes) expect(Object.keys(type)).toEqual(keys)
    expect(sourceTypes).toHaveLength(54)
    expect(sourceTypeNamed('SQLITE')?.id).toBe(53)
    expect(sourceTypeNamed('PAPER')).toBeUndefined()
  })
})

describe('bucketedDataType', () => {
  it.each([
    ['BIGINT', 'NUMERIC'],
    ['UHUGEINT', 'NUMERIC'],
    ['DECIMAL(18,3)', 'NUMERIC'],
    ['INTEGER', 'NUMERIC'],
    ['VARCHAR', 'TEXT'],
    ['varchar(20)', 'TEXT'],
    ['BOOLEAN', 'BOOLEAN'],
    ['DATE', 'DATE'],
    ['TIMESTAMP WITH TIME ZONE', 'DATE'],
    ['TIMESTAMP_NS', 'DATE'],
    ['STRUCT(a BIGINT)', 'SEMI_STRUCTURED'],
    ['VARCHAR[]', 'SEMI_STRUCTURED'],
    ['BIGINT[3]', 'SEMI_STRUCTURED'],
    ['JSON', 'SEMI_STRUCTURED'],
    ['GEOMETRY', 'GEOSPATIAL'],
    ['BLOB', null],
    [null, null],
  ])('puts %s into %s', (dataType, bucket) => {
    expect(bucketedDataType(dataType)).toBe(bucket)
  })
})
