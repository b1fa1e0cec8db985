import type { RouteRequest } from '@assay/hosting/testing'
import { AssayError } from '@assay/service-kit/errors'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type OpenCrm, of, openCrm } from '../testing/crm.ts'
import { createFakeEngine } from '../testing/fake-engine.ts'

let crm: OpenCrm
const engine = createFakeEngine()
const sample = vi.fn<typeof engine.sample>()
engine.sample = sample
beforeEach(async () => {
  crm = await openCrm(engine)
  sample.mockReset().mockRejectedValue(new AssayError('unprocessable', 'The file is gone.'))
})
afterEach(() => crm.close())

describe('inferred types', () => {
  const rows = [
    { id: 1, email: 'a@b.de', born: '1990-01-01' },
    { id: 2, email: null, born: '1991-01-01' },
  ]
  const typesOf = async (query: RouteRequest['query'] = { inferDataType: 'True' }) =>
    (await crm.ask('getChildAssets', of(crm.table, { query }))).childAssets.map(({ dataType, bucketedDataType }) => [
      dataType,
      bucketedDataType,
    ])
  it('given text with dates, then the type is returned on request, and the values are read once', async () => {
    sample.mockResolvedValue({ fields: [], rows, warnings: { total: 0, first: [] } })
    const [first] = await Promise.all([typesOf(), typesOf()])
    expect(first).toEqual([
      ['BIGINT', 'NUMERIC'],
      ['VARCHAR', 'TEXT'],
      ['DATE', 'DATE'],
    ])
    expect((await typesOf({}))[2]).toEqual(['VARCHAR', 'TEXT'])
    expect(await crm.ask('getInferredMetadata', of(crm.table))).toEqual({
      data: [
        { name: 'id', dataType: 'BIGINT', nullable: true },
        { name: 'email', dataType: 'VARCHAR', nullable: true },
        { name: 'born', dataType: 'DATE', nullable: true },
      ],
    })
    expect(sample).toHaveBeenCalledTimes(1)
  })
  it('given a source that cannot be read, then declared types are returned, and nothing is inferred', async () => {
    expect((await typesOf())[2]).toEqual(['VARCHAR', 'TEXT'])
    expect(await crm.ask('getInferredMetadata', of(crm.table))).toEqual({ data: [] })
  })
  it('given a file with an id column, then it has the strategies of ids and of files', async () => {
    const { strategies, incremental, selective } = await crm.ask('getIncrementalStrategies', of(crm.table))
    const types = (list: { type: string }[]) => list.map(({ type }) => type)
    expect(types(incremental.strategies)).toEqual(['IdMarkerConfig', 'FileEventMarkerConfig'])
    expect(types(selective.strategies)).toEqual(['bound', 'boundFileEvent'])
    expect(strategies).toHaveLength(4)
    expect((await crm.ask('getIncrementalStrategies', of(crm.email))).strategies).toEqual([])
  })
})
