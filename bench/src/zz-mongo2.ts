import { createRequire } from 'node:module'
import { documentPut } from '@assay/documents'
import { createMongoDocuments } from '@assay/documents/mongodb'
import { start } from '../../tools/servers/mongodb.mjs'
import { benchAssets, benchAssetsOf, searchMix } from './search-data.ts'
const req = createRequire('/work/main/packages/documents/package.json')
const { FindCursor, Collection } = req('mongodb')
let log: string[] = []
const was = FindCursor.prototype.toArray
FindCursor.prototype.toArray = async function (...a: never[]) { const t = performance.now(); const r = await was.apply(this, a); log.push(`${(performance.now() - t).toFixed(0)}ms ${r.length}rows ${this.namespace.collection} ${JSON.stringify(this.cursorFilter).slice(0, 130)}`); return r }
const wasC = Collection.prototype.countDocuments
Collection.prototype.countDocuments = async function (...a: never[]) { const t = performance.now(); const r = await wasC.apply(this, a); log.push(`${(performance.now() - t).toFixed(0)}ms COUNT ${JSON.stringify(a[0]).slice(0, 100)}`); return r }
const n = Number(process.argv[2])
const server = await start()
const documents = await createMongoDocuments({ uri: server.url, database: 'bench', collections: [benchAssets], timeouts: { operation: 120_000 } })
const began = performance.now()
let batch: ReturnType<typeof documentPut>[] = []
for (const asset of benchAssetsOf(n)) { batch.push(documentPut(benchAssets, 't', asset.id, asset, { revision: 0, position: '1' })); if (batch.length < 500) continue; await documents.put(batch); batch = [] }
console.log('filled', ((performance.now() - began) / 1000).toFixed(1))
for (const text of searchMix(24)) { log = []; const t = performance.now(); const r = await documents.search(benchAssets, 't', { text, where: [{ field: 'isDeleted', is: false }], size: 25, facets: ['assetTypeId', 'sourceTypeId', 'assemblyId'] }); console.log(`## ${text} ${(performance.now() - t).toFixed(0)} ms count ${r.count}\n   ${log.join('\n   ')}`) }
await documents.close(); await server.stop()
