import { documentPut } from '@assay/documents'
import { createSqliteDocuments } from '@assay/documents/sqlite'
import { openDatabase } from '@assay/sqlite'
import { benchAssets, benchAssetsOf } from './search-data.ts'

for (const count of process.argv.slice(2).map(Number)) {
  const t0 = performance.now()
  const database = openDatabase({ path: `/tmp/h3/${count}.db`, synchronous: 'NORMAL' })
  const documents = createSqliteDocuments({ database, collections: [benchAssets] })
  let batch = []
  for (const asset of benchAssetsOf(count)) {
    batch.push(documentPut(benchAssets, 't', asset.id, asset, { revision: 1, position: '1' }))
    if (batch.length < 1000) continue
    await documents.put(batch)
    batch = []
  }
  await documents.put(batch)
  console.log(count, 'wall', ((performance.now() - t0) / 1000).toFixed(1), 'cpu', JSON.stringify(process.cpuUsage()))
  await documents.close()
  await database.close()
}
