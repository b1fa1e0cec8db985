import { buildCompose } from './compose-plugin.ts'
import { startEngine } from './engine.ts'
import { buildProduct, buildServers } from './local-images.ts'

// `npm run test:image` begins with this: the image of this checkout, and the servers that stand in for published ones.
await startEngine()
buildCompose()
buildProduct()
await buildServers()
