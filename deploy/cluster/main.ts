import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { docker, show } from '../containers/docker.ts'
import { startEngine } from '../containers/engine.ts'
import { buildProduct, buildServers } from '../containers/local-images.ts'
import { buildKubernetes } from './tools.ts'

// `npm run test:cluster` (Linux, as root): builds missing programs and images, then runs `run.ts` in a separate network
// namespace, so that the cluster does not affect this machine's network.
const namespace = 'assay-cluster'
buildKubernetes()
await startEngine()
if (!process.argv.includes('--no-build')) {
  buildProduct()
  await buildServers()
}
const pause = mkdtempSync(join(tmpdir(), 'assay-pause-'))
try {
  // The process that holds the namespaces of a pod: a sleep.
  writeFileSync(join(pause, 'Dockerfile'), 'FROM assay-local/bookworm:1\nENTRYPOINT ["sleep", "infinity"]\n')
  docker('build', '--tag', 'assay-local/pause:1', pause)
} finally {
  rmSync(pause, { recursive: true })
}
spawnSync('ip', ['netns', 'delete', namespace], { stdio: 'ignore' })
show('ip', ['netns', 'add', namespace])
try {
  const script = fileURLToPath(new URL('./run.ts', import.meta.url))
  const { status } = spawnSync('nsenter', [`--net=/run/netns/${namespace}`, process.execPath, script], {
    stdio: 'inherit',
  })
  process.exitCode = status ?? 1
} finally {
  spawnSync('ip', ['netns', 'delete', namespace], { stdio: 'ignore' })
}
