import { createSqliteDocuments } from '@assay/documents/sqlite'
import { openDatabase } from '@assay/sqlite'
import { benchAssets } from './search-data.ts'
for (const n of process.argv.slice(2)) {
const t = performance.now()
const database = openDatabase({ path: `/tmp/h3/${n}.db`, synchronous: 'NORMAL' })
const documents = createSqliteDocuments({ database, collections: [benchAssets] })
console.log(n, (performance.now() - t).toFixed(0), database.prepare('SELECT count(*) c, sum(n) n FROM s_doc_bench_assets_count').all(), database.prepare('SELECT count(*) c FROM s_doc_bench_assets_group').all())
await documents.close(); await database.close()
}
