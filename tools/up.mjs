// The bootstrap: installs once per lockfile, finds a Node that strips types, runs one verb, forwards signals.
// Plain JavaScript without dependencies, because it runs before anything is installed, on any Node >= 18.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const PNPM = '12.21.0'
const MIN_NODE = [24, 15]
const root = dirname(dirname(fileURLToPath(import.meta.url)))

function fail(message) {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}

function install() {
  const lockfile = readFileSync(join(root, 'pnpm-lock.yaml'))
  const wanted = createHash('sha256').update(PNPM).update(lockfile).digest('hex')
  const marker = join(root, 'node_modules', '.assay-installed')
  if (existsSync(marker) && readFileSync(marker, 'utf8') === wanted) return
  process.stderr.write('Installing what Assay needs (once) ...\n')
  const done = spawnSync(
    'npx',
    ['--yes', `pnpm@${PNPM}`, 'install', '--frozen-lockfile', '--reporter=append-only', '--loglevel=error'],
    {
      cwd: root,
      stdio: ['ignore', 2, 2],
      env: { ...process.env, npm_config_yes: 'true', CI: 'true' },
    },
  )
  if (done.status !== 0) fail('The installation failed: see the lines above. Assay needs npm and a package registry.')
  mkdirSync(dirname(marker), { recursive: true })
  writeFileSync(marker, wanted)
}

function findNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > MIN_NODE[0] || (major === MIN_NODE[0] && minor >= MIN_NODE[1])) return process.execPath
  const bundled = join(root, 'node_modules', '.bin', 'node')
  if (existsSync(bundled)) return bundled
  return fail(
    `Assay needs Node ${MIN_NODE.join('.')} or newer; this is ${process.versions.node}. Install it and try again.`,
  )
}

const bin = (path) => join(root, 'node_modules', path)
const [verb = 'start', ...args] = process.argv.slice(2)
/** Each verb is a list of steps, run one after the other until one fails. */
const verbs = {
  start: [[join(root, 'services/standalone/src/main.ts'), ...args]],
  rebuild: [[join(root, 'services/standalone/src/rebuild.ts'), ...args]],
  backup: [[join(root, 'services/standalone/src/backup.ts'), ...args]],
  parked: [[join(root, 'packages/hosting/src/parked/main.ts'), ...args]],
  servers: [[join(root, 'deploy/native/servers.ts')]],
  services: [[join(root, 'deploy/native/start.ts'), ...args]],
  bench: [[join(root, 'bench/src/main.ts'), ...args]],
  format: [[bin('@biomejs/biome/bin/biome'), 'check', '--write', '.']],
  variables: [[join(root, 'deploy/variables/write.ts')]],
  documents: [[join(root, 'deploy/documents/write.ts')]],
  'documents:examples': [[join(root, 'deploy/documents/record.ts')], [join(root, 'deploy/documents/write.ts')]],
  check: [
    [bin('@biomejs/biome/bin/biome'), 'check', '.'],
    [bin('typescript/bin/tsc'), '-p', 'tsconfig.json'],
    [join(root, 'tools/check-directions.mjs')],
    [bin('knip/bin/knip.js')],
  ],
  test: [],
}
verbs.test =
  args.length > 0
    ? [[bin('vitest/vitest.mjs'), 'run', ...args]]
    : [...verbs.check, [bin('vitest/vitest.mjs'), 'run', '--project', 'unit', '--project', 'int', '--project', 'e2e']]
verbs['test:containers'] = [[join(root, 'tools/containers/run.mjs')]]
verbs['test:integration'] = [[bin('vitest/vitest.mjs'), 'run', '--project', 'server', ...args]]
verbs['test:faults'] = [
  [bin('vitest/vitest.mjs'), 'run', '--project', 'server', ...(args.length > 0 ? args : ['deploy/native/faults'])],
]
verbs['test:faults:red'] = [[join(root, 'deploy/native/faults/red/run.ts'), ...args]]
verbs['test:deploy'] = [
  [join(root, 'deploy/helm/install-tools.ts')],
  [bin('vitest/vitest.mjs'), 'run', '--project', 'deploy', ...args],
]
verbs['test:schemathesis'] = [[bin('vitest/vitest.mjs'), 'run', '--project', 'schemathesis', ...args]]
verbs['test:http'] = [[bin('vitest/vitest.mjs'), 'run', '--project', 'http', ...args]]
const steps = verbs[verb]
if (!steps) fail(`'${verb}' is not known. Known: ${Object.keys(verbs).join(', ')}.`)

install()
const node = findNode()
const env = {
  // The long form; the short one is part of `test:integration`.
  ...(verb === 'test:faults' ? { FAULT_ROUNDS: '20' } : {}),
  ...process.env,
  PATH: [join(root, 'node_modules/.bin'), dirname(node), process.env.PATH ?? ''].join(delimiter),
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(root, 'node_modules/.cache/node-compile'),
}

let child
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child?.kill(signal))

/** `start` and `backup` keep the caller's folder, so that relative paths on its command line mean what the caller meant. */
const cwd = verb === 'start' || verb === 'backup' ? process.cwd() : root
function run(index) {
  const step = steps[index]
  if (!step) process.exit(0)
  child = spawn(node, step, { cwd, env, stdio: 'inherit' })
  child.on('exit', (code, signal) => {
    if (code !== 0) process.exit(code ?? (signal ? 1 : 0))
    run(index + 1)
  })
}
run(0)
