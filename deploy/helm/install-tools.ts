import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isThere, pinned, toolsDir } from './tools.ts'

// Builds the programs with which `npm run test:deploy` renders and checks the chart, if they are missing. The first
// build takes minutes; the programs are stored outside of the checkout.
for (const [name, source] of Object.entries(pinned)) {
  if (isThere(name)) continue
  process.stderr.write(`Building ${source} into ${toolsDir} (once, some minutes) ...\n`)
  mkdirSync(toolsDir, { recursive: true })
  const built = spawnSync('go', ['install', source], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, GOBIN: toolsDir, GOFLAGS: '-mod=mod' },
  })
  if (built.status === 0) continue
  const reason = built.error ? `go could not be started (${built.error.message})` : 'see the lines above'
  process.stderr.write(`${name} was not built: ${reason}. It needs Go 1.24 or later and the Go module proxy.\n`)
  process.exit(1)
}

// Prometheus, which runs the queries of dashboard and alerts, comes from the package of Debian or Ubuntu. Elsewhere its
// suite is skipped, unless `prometheus` and `promtool` are on the PATH.
if (!isThere('prometheus') || !isThere('promtool')) {
  const folder = mkdtempSync(join(tmpdir(), 'assay-prometheus-'))
  const run = (command: string, ...args: string[]) =>
    spawnSync(command, args, { cwd: folder, stdio: 'ignore' }).status === 0
  if (run('apt-get', 'download', 'prometheus')) {
    const [file = ''] = readdirSync(folder)
    if (run('dpkg', '-x', file, 'x')) {
      mkdirSync(toolsDir, { recursive: true })
      for (const name of ['prometheus', 'promtool']) copyFileSync(join(folder, 'x/usr/bin', name), join(toolsDir, name))
    }
  }
  rmSync(folder, { recursive: true, force: true })
}
