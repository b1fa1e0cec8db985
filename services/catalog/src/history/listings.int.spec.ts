import { planOfListing } from '@assay/documents/testing'
import { describe, expect, it } from 'vitest'
import { crawls } from '../crawl/aggregate.ts'
import { assetHistory } from './collection.ts'

describe('listings', () => {
  it('when the history of an asset is listed, then the query reads no other lines and does not sort', async () => {
    const where = [{ field: 'assetId', is: 1 }]
    for (const direction of ['asc', 'desc'] as const) {
      const plan = await planOfListing(assetHistory, { where, sort: [{ field: 'at', direction }], size: 20 })
      expect(plan).toBe(
        'SEARCH doc_asset_history USING INDEX doc_asset_history(assetId,at)_1 (tenant=? AND f_assetId=?)',
      )
    }
  })

  it('when the crawls of an assembly are listed, then the query reads no other crawls and does not sort', async () => {
    const where = [{ field: 'assemblyId', is: 1 }]
    const plan = await planOfListing(crawls, { where, sort: [{ field: 'id', direction: 'desc' }], size: 20 })
    expect(plan).toBe('SEARCH doc_crawls USING INDEX doc_crawls_assemblyId_1 (tenant=? AND f_assemblyId=?)')
  })
})
