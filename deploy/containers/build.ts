import { buildCompose } from './compose-plugin.ts'
import { startEngine } from './engine.ts'
import { buildProduct, buildServers } from './local-images.ts'

// First step of `npm run test:image`: builds the image of this checkout, and the servers that replace published ones.
await startEngine()
buildCompose()
buildProduct()
await buildServers()
