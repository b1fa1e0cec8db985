/**
 * A real S3-compatible server for tests: MinIO, built from its Go module, on loopback only. Needs Go 1.24 or later on
 * PATH for the first install, which takes some minutes; later installs use the binary in the cache folder.
 */
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { borrowed } from './borrowed.mjs'
import { defaultCacheDir, installed, run } from './install.mjs'
import { freePort } from './ports.mjs'
import { serverIn, startProcess, untilInterrupted } from './process.mjs'

const version = 'v0.0.0-20260212201848-7aac2a2c5b7c'
const neededGo = [1, 24]
const bucket = 'assay'

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

/** Builds the server into `cacheDir` and returns the path of its binary. */
export async function install(cacheDir = defaultCacheDir()) {
  const folder = await installed(folderIn(cacheDir), async (work) => {
    const built = join(work, 'bin')
    await run('go', ['install', '-trimpath', '-ldflags=-s -w', `github.com/minio/minio@${version}`], {
      cwd: work,
      env: { ...process.env, GOBIN: built, CGO_ENABLED: '0' },
    })
    return built
  })
  return join(folder, 'minio')
}

const startServer = (binary, { port, folder, accessKey, secretKey }) =>
  startProcess({
    name: 'MinIO',
    command: binary,
    args: [...['server', '--address', `127.0.0.1:${port}`, '--console-address', '127.0.0.1:0'], join(folder, 'data')],
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      MINIO_ROOT_USER: accessKey,
      MINIO_ROOT_PASSWORD: secretKey,
      MINIO_BROWSER: 'off',
      MINIO_UPDATE: 'off',
      // Allows data on the disk of the root folder.
      MINIO_CI_CD: '1',
    },
    isReady: () =>
      fetch(`http://127.0.0.1:${port}/minio/health/ready`, { signal: AbortSignal.timeout(2000) })
        .then((response) => response.ok)
        .catch(() => false),
  })

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
 * Starts a server with its own data folder, bucket and credentials. Returns its address and credentials, `stop` (ends it
 * and removes the data), `kill` (kill -9), `restart` (restarts a killed server with the same data and port), `pause`,
 * `resume`. If `ASSAY_TEST_S3` names a store (`http://accessKey:secretKey@host:port/bucket`), uses that store.
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
  const server = await serverIn(folder, () => startServer(binary, settings))
  return { url: `http://127.0.0.1:${port}`, port, region: 'us-east-1', bucket, accessKey, secretKey, ...server }
}

/** `node tools/servers/minio.mjs`: a server for manual work, until interrupted; with `install`: only builds it. */
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv[2] === 'install') {
    const reason = await whyNot()
    process.stdout.write(`${reason ?? `MinIO is at ${await install()}`}\n`)
  } else {
    const server = await start()
    untilInterrupted(server, `${server.url} ${server.bucket} ${server.accessKey} ${server.secretKey}`)
  }
}
