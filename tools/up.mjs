// The bootstrap: installs once per lockfile what the verb needs, finds a Node that strips types, runs the verb, forwards
// signals. Plain JavaScript without dependencies, because it runs before anything is installed, on any Node >= 18.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { availableParallelism, freemem } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const PNPM = '12.21.0'
const MIN_NODE = [24, 15]
const root = dirname(dirname(fileURLToPath(import.meta.url)))

function fail(message) {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}

/**
 * Installs the dependencies. `onlyToRun` leaves out linters, compilers, test tools and the workspaces that only they use; a
 * complete installation also serves to run.
 */
function install(onlyToRun) {
  const lockfile = readFileSync(join(root, 'pnpm-lock.yaml'))
  const wanted = createHash('sha256').update(PNPM).update(lockfile).digest('hex')
  const marker = join(root, 'node_modules', '.assay-installed')
  const [installed, extent] = existsSync(marker) ? readFileSync(marker, 'utf8').split(' ') : []
  if (installed === wanted && (onlyToRun || extent === 'all')) return
  process.stderr.write('Installing what Assay needs (once) ...\n')
  const part = onlyToRun ? ['--prod', '--filter', 'assay', '--filter', '@assay/standalone...'] : []
  const done = spawnSync(
    'npx',
    ['--yes', `pnpm@${PNPM}`, 'install', '--frozen-lockfile', '--reporter=append-only', '--loglevel=error', ...part],
    {
      cwd: root,
      stdio: ['ignore', 2, 2],
      env: { ...process.env, npm_config_yes: 'true', CI: 'true' },
      // On Windows npx is a script, which requires a shell. No argument contains anything that a shell would interpret.
      shell: process.platform === 'win32',
    },
  )
  if (done.status !== 0) fail('The installation failed: see the lines above. Assay needs npm and a package registry.')
  mkdirSync(dirname(marker), { recursive: true })
  writeFileSync(marker, `${wanted} ${onlyToRun ? 'run' : 'all'}`)
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
// Each checker computes the shared types again, and the other checks need a core too.
const checkers = String(Math.max(1, Math.floor(availableParallelism() / 2)))
// Incremental: unchanged files are not checked again. A fresh clone has no record of an earlier check.
const incremental = ['--incremental', '--tsBuildInfoFile', bin('.cache/types.json')]
/** Checks that start no service, the longest first. */
const checks = [
  [bin('typescript/bin/tsc'), '-p', 'tsconfig.json', '--checkers', checkers, ...incremental],
  [bin('@biomejs/biome/bin/biome'), 'check', '.'],
  [join(root, 'tools/check-dependencies.mjs')],
  [bin('knip/bin/knip.js')],
]
/** The steps of each verb, which run in order until one fails. A step is a command, or a list of commands that run in parallel. */
const verbs = {
  start: [[join(root, 'services/standalone/src/main.ts'), ...args]],
  dev: [['--watch', '--watch-preserve-output', join(root, 'services/standalone/src/main.ts'), ...args]],
  rebuild: [[join(root, 'services/standalone/src/rebuild.ts'), ...args]],
  backup: [[join(root, 'services/standalone/src/backup.ts'), ...args]],
  'rotate-sealing-key': [[join(root, 'services/standalone/src/rotate-sealing-key.ts'), ...args]],
  parked: [[join(root, 'packages/hosting/src/parked/main.ts'), ...args]],
  republish: [[join(root, 'packages/hosting/src/republish/main.ts'), ...args]],
  servers: [[join(root, 'deploy/native/servers.ts')]],
  services: [[join(root, 'deploy/native/start.ts'), ...args]],
  bench: [[join(root, 'bench/src/main.ts'), ...args]],
  format: [[bin('@biomejs/biome/bin/biome'), 'check', '--write', '.']],
  variables: [[join(root, 'deploy/variables/write.ts')]],
  documents: [[join(root, 'deploy/documents/write.ts')]],
  'documents:examples': [[join(root, 'deploy/documents/record.ts')], [join(root, 'deploy/documents/write.ts')]],
  check: [checks],
  test: [],
}
// Two more workers than cores, because each waits for its processes for a third of its time.
const workers = String(Math.max(2, availableParallelism()) + 2)
const embedded = ['--project', 'unit', '--project', 'int', '--project', 'e2e']
const vitest = [bin('vitest/vitest.mjs'), 'run', ...embedded, '--maxWorkers', workers]
verbs.test = args.length > 0 ? [[...vitest, ...args]] : [checks, vitest]
verbs['test:containers'] = [[join(root, 'tools/containers/run.mjs'), ...args]]
verbs['test:image'] = [
  [join(root, 'deploy/containers/build.ts')],
  [bin('vitest/vitest.mjs'), 'run', '--project', 'image', ...args],
  [join(root, 'tools/containers/run.mjs'), '--local'],
]
verbs['test:cluster'] = [[join(root, 'deploy/helm/install-tools.ts')], [join(root, 'deploy/cluster/main.ts'), ...args]]
const faultTests = [bin('vitest/vitest.mjs'), 'run', '--project', 'faults']
verbs['test:integration'] = [[...faultTests, '--project', 'server', ...args]]
verbs['test:faults'] = [[...faultTests, ...args]]
verbs['test:faults:red'] = [[join(root, 'deploy/native/faults/red/run.ts'), ...args]]
verbs['test:deploy'] = [
  [join(root, 'deploy/helm/install-tools.ts')],
  [bin('vitest/vitest.mjs'), 'run', '--project', 'deploy', ...args],
]
verbs['test:schemathesis'] = [[bin('vitest/vitest.mjs'), 'run', '--project', 'schemathesis', ...args]]
verbs['test:trino'] = [
  [join(root, 'tools/servers/trino.mjs'), 'install'],
  [bin('vitest/vitest.mjs'), 'run', '--project', 'trino', ...args],
]
verbs['test:http'] = [[bin('vitest/vitest.mjs'), 'run', '--project', 'http', ...args]]
const steps = verbs[verb]
if (!steps) fail(`'${verb}' is unknown. Known verbs: ${Object.keys(verbs).join(', ')}.`)

/**
 * A file system in memory for test files, which need not survive a power failure. On a disk, syncing takes a quarter of
 * the test time.
 */
const inMemory = '/dev/shm'
const neededBytes = 6 * 2 ** 30

/** A folder in memory for test files, removed at the end; `undefined` if there is too little memory. */
function folderInMemory() {
  try {
    accessSync(inMemory, constants.W_OK)
    const { bavail, bsize } = statfsSync(inMemory)
    if (Math.min(bavail * bsize, freemem()) < neededBytes) return undefined
    const folder = mkdtempSync(join(inMemory, 'assay-test-'))
    // PostgreSQL runs as another user.
    chmodSync(folder, 0o755)
    process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
    return folder
  } catch {
    return undefined
  }
}

install(['start', 'dev', 'rebuild', 'backup', 'rotate-sealing-key', 'parked', 'republish'].includes(verb))
const node = findNode()
const isTest = ['test', 'test:integration', 'test:faults'].includes(verb)
const temporary = isTest && process.env.TMPDIR === undefined ? folderInMemory() : undefined
const env = {
  ...(temporary === undefined ? {} : { TMPDIR: temporary }),
  // The long fault test; `test:integration` has the short one.
  ...(verb === 'test:faults' ? { FAULT_ROUNDS: '20' } : {}),
  // For the type checker, which otherwise spends a fifth of its time on garbage collection.
  ...(['check', 'test'].includes(verb) ? { GOGC: '400' } : {}),
  ...process.env,
  PATH: [join(root, 'node_modules/.bin'), dirname(node), process.env.PATH ?? ''].join(delimiter),
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(root, 'node_modules/.cache/node-compile'),
}

/** The child processes of the current step. */
let children = []
function forward(signal) {
  for (const child of children) child.kill(signal)
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, forward)

// npm and its shell do not forward signals to this process, so the end of its parent counts as SIGTERM.
const parent = process.ppid
setInterval(() => {
  if (process.ppid !== parent) forward('SIGTERM')
}, 500).unref()

/** For these verbs, relative paths on the command line are relative to the caller's folder. */
const cwd = ['start', 'dev', 'backup', 'rotate-sealing-key'].includes(verb) ? process.cwd() : root
const ended = (child) => new Promise((resolve) => child.on('exit', (code, signal) => resolve(code ?? (signal ? 1 : 0))))
for (const step of steps) {
  const commands = Array.isArray(step[0]) ? step : [step]
  children = commands.map((command) => spawn(node, command, { cwd, env, stdio: 'inherit' }))
  // Waits until all have ended, so that one run shows every fault.
  const failed = (await Promise.all(children.map(ended))).find((code) => code !== 0)
  if (failed !== undefined) process.exit(failed)
}
process.exit(0)
