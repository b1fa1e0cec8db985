/**
 * A real S3-compatible server for tests: MinIO, built from its Go module, on loopback only. Needs Go 1.24 or later on
 * PATH for the first install, which takes some minutes; later ones find the binary in the cache folder.
 */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { borrowed } from './borrowed.mjs'
import { freePort } from './ports.mjs'

const version = 'v0.0.0-20260212201848-7aac2a2c5b7c'
const neededGo = [1, 24]
const startWaitMs = 60_000
const bucket = 'assay'

export const defaultCacheDir = () => process.env.ASSAY_SERVERS_DIR ?? join(homedir(), '.cache', 'assay-servers')

/** Runs a command to its end and answers what it wrote; throws with that when it fails. */
async function run(command, args, options = {}) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text = (text + chunk).slice(-4000)))
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve))
  if (code !== 0) throw new Error(`${command} ${args[0] ?? ''} ended with ${code}: ${text}`)
  return text
}

const folderIn = (cacheDir) => join(cacheDir, `minio-${version}`)

export async function whyNot(cacheDir = defaultCacheDir()) {
  if (process.env.ASSAY_TEST_S3 || existsSync(folderIn(cacheDir))) return undefined
  const needed = neededGo.join('.')
  try {
    const [, major = 0, minor = 0] = (/go(\d+)\.(\d+)/.exec(await run('go', ['version'])) ?? []).map(Number)
    if (major > neededGo[0] || (major === neededGo[0] && minor >= neededGo[1])) return undefined
    return `MinIO is built with Go ${needed} or later; the go on PATH is ${major}.${minor}.`
  } catch (error) {
    if (error?.code !== 'ENOENT') throw error
    return `MinIO is built with Go ${needed} or later, and there is no go on PATH.`
  }
}

/**
 * Builds the server into `cacheDir` and answers the path of its binary. Nothing happens where it is; two runs at once are
 * safe, because the folder gets its name only when it is whole.
 */
export async function install(cacheDir = defaultCacheDir()) {
  const folder = folderIn(cacheDir)
  const binary = join(folder, 'minio')
  if (existsSync(folder)) return binary
  await mkdir(cacheDir, { recursive: true })
  const work = await mkdtemp(join(cacheDir, 'minio-installing-'))
  try {
    await run('go', ['install', '-trimpath', '-ldflags=-s -w', `github.com/minio/minio@${version}`], {
      cwd: work,
      env: { ...process.env, GOBIN: join(work, 'bin'), CGO_ENABLED: '0' },
    })
    await rename(join(work, 'bin'), folder).catch((error) => {
      if (!existsSync(folder)) throw error
    })
  } finally {
    await rm(work, { recursive: true, force: true })
  }
  return binary
}

/**
 * A process that ends with its parent: a shell beside it waits for the end of a pipe from here, which also comes when this
 * process is killed.
 */
function startServer(binary, { port, folder, accessKey, secretKey }) {
  const command = '"$0" server --address "127.0.0.1:$1" --console-address 127.0.0.1:0 "$2"'
  const script = `${command} 3<&- & pid=$!; echo "pid $pid" >&4; (read -r _ <&3; kill -9 $pid 2>/dev/null) & watch=$!; wait $pid; code=$?; kill $watch 2>/dev/null; exit $code`
  const child = spawn('sh', ['-c', script, binary, String(port), join(folder, 'data')], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      MINIO_ROOT_USER: accessKey,
      MINIO_ROOT_PASSWORD: secretKey,
      MINIO_BROWSER: 'off',
      MINIO_UPDATE: 'off',
      // Lets it keep data on the disk of the root folder.
      MINIO_CI_CD: '1',
    },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
  })
  let text = ''
  let pid
  let exited = false
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text = (text + chunk).slice(-8000)))
  child.stdio[4].on('data', (chunk) => (pid = Number(/pid (\d+)/.exec(String(chunk))?.[1]) || pid))
  const ended = new Promise((resolve) => {
    const end = () => {
      exited = true
      resolve()
    }
    child.on('error', end).on('close', end)
  })
  async function becomeReady() {
    const until = performance.now() + startWaitMs
    while (!exited) {
      const answer = await fetch(`http://127.0.0.1:${port}/minio/health/ready`, { signal: AbortSignal.timeout(2000) })
        .then((response) => response.ok)
        .catch(() => false)
      if (answer) return
      if (performance.now() > until) throw new Error(`MinIO did not start in time: ${text}`)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    throw new Error(`MinIO ended while it started: ${text}`)
  }
  const ready = becomeReady()
  // Whoever stops it before it is ready does not wait for this.
  ready.catch(() => undefined)
  const signal = async (name) => {
    if (!exited && pid !== undefined) process.kill(pid, name)
    await ended
  }
  return {
    ready,
    kill: () => signal('SIGKILL'),
    async stop() {
      const force = setTimeout(() => void signal('SIGKILL'), 10_000)
      await signal('SIGTERM')
      clearTimeout(force)
    },
    pause: () => process.kill(pid, 'SIGSTOP'),
    resume: () => void (!exited && pid !== undefined && process.kill(pid, 'SIGCONT')),
  }
}

function named(text) {
  const { origin, port, pathname, username, password } = new URL(text)
  return {
    url: origin,
    port: Number(port),
    region: 'us-east-1',
    bucket: pathname.slice(1),
    accessKey: decodeURIComponent(username),
    secretKey: decodeURIComponent(password),
  }
}

/**
 * Starts a server with a data folder, a bucket and credentials of its own. Answers how to reach it, `stop` (ends it and
 * removes the data), `kill` (kill -9), `restart` (a killed one comes back over the same data and port), `pause`, `resume`.
 * Where `ASSAY_TEST_S3` names a store (`http://accessKey:secretKey@host:port/bucket`), that one is used instead.
 */
export async function start(options = {}) {
  if (process.env.ASSAY_TEST_S3) return { ...named(process.env.ASSAY_TEST_S3), ...borrowed('ASSAY_TEST_S3') }
  const binary = await install(options.cacheDir)
  const folder = await mkdtemp(join(tmpdir(), 'assay-minio-'))
  const port = options.port ?? (await freePort())
  const accessKey = 'assay-tests'
  const secretKey = randomBytes(18).toString('base64url')
  // A folder in the data folder is a bucket.
  await mkdir(join(folder, 'data', bucket), { recursive: true })
  const settings = { port, folder, accessKey, secretKey }
  let server = startServer(binary, settings)
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    await server.ready
  } catch (error) {
    await server.kill()
    await remove()
    throw error
  }
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    region: 'us-east-1',
    bucket,
    accessKey,
    secretKey,
    async stop() {
      server.resume()
      await server.stop()
      await remove()
    },
    kill: () => server.kill(),
    async restart() {
      await server.kill()
      server = startServer(binary, settings)
      await server.ready
    },
    pause: () => server.pause(),
    resume: () => server.resume(),
  }
}

/** `node tools/servers/minio.mjs`: a server for hand work, until interrupted; with `install`: only builds it. */
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv[2] === 'install') {
    const reason = await whyNot()
    process.stdout.write(`${reason ?? `MinIO is at ${await install()}`}\n`)
  } else {
    const server = await start()
    process.stdout.write(`${server.url} ${server.bucket} ${server.accessKey} ${server.secretKey}\n`)
    for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => void server.stop().then(() => process.exit(0)))
  }
}
