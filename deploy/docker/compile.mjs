/**
 * Fills NODE_COMPILE_CACHE at build time, because the image is read-only at run time: loads the modules that services load,
 * so that Node strips types and compiles code only once. Run it in the folder of the workspace.
 */
import { globSync } from 'node:fs'
import { flushCompileCache, getCompileCacheDir } from 'node:module'
import { resolve } from 'node:path'

// A service loads the adapters that its environment chooses.
const loaded = [
  'packages/{documents,event-store,message-bus,artifacts,data-engine}/src/*/index.ts',
  'packages/hosting/src/index.ts',
  'services/*/src/{service,config,compose}.ts',
  'services/standalone/src/first-start/{first-steps,terminal}.ts',
]
if (getCompileCacheDir() === undefined) throw new Error('NODE_COMPILE_CACHE does not name a writable folder.')
for (const path of globSync(loaded).filter((path) => !path.includes('/testing/'))) await import(resolve(path))
flushCompileCache()
