/**
 * For the image, where nothing can be written when it runs: loads what services load, so that types are stripped and code is
 * compiled once, into NODE_COMPILE_CACHE. Run in the folder of the workspace.
 */
import { globSync } from 'node:fs'
import { flushCompileCache, getCompileCacheDir } from 'node:module'
import { resolve } from 'node:path'

// A service loads the adapters that it is told to use.
const loaded = [
  'packages/{documents,event-store,message-bus,artifacts,data-engine}/src/*/index.ts',
  'packages/hosting/src/index.ts',
  'services/*/src/{service,config,compose}.ts',
  'services/standalone/src/first-start/{first-steps,terminal}.ts',
]
if (getCompileCacheDir() === undefined) throw new Error('NODE_COMPILE_CACHE says no folder that can be written to.')
for (const path of globSync(loaded).filter((path) => !path.includes('/testing/'))) await import(resolve(path))
flushCompileCache()
