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

const { MongoClient } = req('mongodb')
const client = new MongoClient(server.url)
const db = client.db('bench')
const cols = (await db.listCollections().toArray()).map((c) => c.name); console.log(cols)
const N = db.collection('bench_assets_v1_names'); const D = db.collection('bench_assets_v1_1')
const names = (await was.call(N.find({ tenant: 't', tokens: { $in: ['~total'] } }))).map((r) => r.name).slice(0, 100)
const timed = async (what, cursor) => { const t = performance.now(); const r = await was.call(cursor); console.log(what, (performance.now() - t).toFixed(0), 'ms', r.length) }
const P = { projection: { _id: 0, 'f.id': 1, 'f.name': 1 } }
for (let r = 0; r < 2; r++) {
await timed('names in, 100', D.find({ tenant: 't', live: true, 'f.name': { $in: names } }, P))
await timed('names in, 20', D.find({ tenant: 't', live: true, 'f.name': { $in: names.slice(0, 20) } }, P))
await timed('name first, del second', D.find({ tenant: 't', live: true, 'f.name': { $in: names }, 'f.isDeleted': { $eq: false } }, P))
await timed('del in and', D.find({ tenant: 't', live: true, 'f.name': { $in: names }, $and: [{ 'f.isDeleted': { $eq: false } }] }, P))
await timed('hint', D.find({ tenant: 't', live: true, 'f.name': { $in: names }, 'f.isDeleted': { $eq: false } }, { ...P, hint: 'assay_f_name' }))
await timed('one name', D.find({ tenant: 't', live: true, 'f.name': names[0] }, P))
await timed('one name del in and', D.find({ tenant: 't', live: true, 'f.name': names[0], $and: [{ 'f.isDeleted': { $eq: false } }] }, P))
await timed('id in 100', D.find({ tenant: 't', live: true, 'f.id': { $in: Array.from({ length: 100 }, (_, i) => i + 1) } }, P))
await timed('_id in 100', D.find({ _id: { $in: Array.from({ length: 100 }, (_, i) => JSON.stringify(['t', i + 1])) } }, P))
await timed('id in 100, del', D.find({ tenant: 't', live: true, 'f.id': { $in: Array.from({ length: 100 }, (_, i) => i + 1) }, 'f.isDeleted': { $eq: false } }, P))
await timed('tokens eq', N.find({ tenant: 't', tokens: 'tot' }))
await timed('tokens in', N.find({ tenant: 't', tokens: { $in: ['tot'] } }))
await timed('tokens in + and all', N.find({ tenant: 't', tokens: { $in: ['tot'] }, $and: [{ tokens: { $all: ['ota', 'tal'] } }] }))
await timed('tails range', N.find({ tenant: 't', tails: { $gte: 'total', $lt: 'totam' } }))
await timed('tails range + and elem', N.find({ tenant: 't', tails: { $gte: 'total', $lt: 'totam' }, $and: [{ tails: { $elemMatch: { $gte: 'total', $lt: 'totam' } } }] }))
await timed('tokens in + tails elem', N.find({ tenant: 't', tokens: { $in: ['tot'] }, $and: [{ tails: { $elemMatch: { $gte: 'total', $lt: 'totam' } } }] }))
await timed('tokens in + tails elem top', N.find({ tenant: 't', tokens: { $in: ['tot'] }, tails: { $elemMatch: { $gte: 'total', $lt: 'totam' } } }))
}
await client.close()
await documents.close(); await server.stop()
