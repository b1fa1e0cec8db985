import { benchSearchMongo } from './search-mongo.bench.ts'

console.log(JSON.stringify(await benchSearchMongo(), null, 1))
