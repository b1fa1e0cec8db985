import { documentPut } from '@assay/documents'
import { createMongoDocuments } from '@assay/documents/mongodb'
import { start } from '../../tools/servers/mongodb.mjs'
import { type BenchRow, quantile } from './ratio.ts'
import { benchAssets, benchAssetsOf, searchMix } from './search-data.ts'

/**
 * The number of assets that the test server stores in one or two minutes. It is not MongoDB, and only speaks its protocol.
 * `ASSAY_TEST_MONGODB` is the address of another server, whose database `bench` is not removed afterwards.
 */
const size = Number(process.env.ASSAY_BENCH_MONGO_ASSETS ?? 5_000)
const batchSize = 1_000
const facets = ['assetTypeId', 'sourceTypeId', 'assemblyId'] as const

/** P9 on MongoDB's protocol: a mix of searches with facets, through the port. */
export async function benchSearchMongo(): Promise<BenchRow[]> {
  const server = await start()
  const documents = await createMongoDocuments({
    uri: server.url,
    database: 'bench',
    collections: [benchAssets],
    timeouts: { operation: 120_000 },
  })
  try {
    const began = performance.now()
    let batch: ReturnType<typeof documentPut>[] = []
    for (const asset of benchAssetsOf(size)) {
      batch.push(documentPut(benchAssets, 't', asset.id, asset, { revision: 0, position: '1' }))
      if (batch.length < batchSize) continue
      await documents.put(batch)
      batch = []
    }
    await documents.put(batch)
    const filled = (performance.now() - began) / 1000
    const times: number[] = []
    for (const text of searchMix(120)) {
      const asked = performance.now()
      await documents.search(benchAssets, 't', { text, where: [{ field: 'isDeleted', is: false }], size: 25, facets })
      times.push(performance.now() - asked)
    }
    const ms = (part: number) => quantile(times, part).toFixed(0)
    return [
      {
        name: `P9 search of ${size} assets over MongoDB's protocol, p99, ms`,
        ratio: quantile(times, 0.99),
        target: '<= 500 ms',
        detail: `p50 ${ms(0.5)} ms, p99 ${ms(0.99)} ms; filled in ${filled.toFixed(0)} s; ${process.env.ASSAY_TEST_MONGODB ? 'the server of ASSAY_TEST_MONGODB' : 'SecantusDB, not MongoDB itself'}`,
      },
    ]
  } finally {
    await documents.close()
    await server.stop()
  }
}
