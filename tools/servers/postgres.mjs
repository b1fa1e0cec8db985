/**
 * A real PostgreSQL for tests, on loopback only. Uses the programs of Debian's package `postgresql-15` if installed;
 * otherwise the package is fetched by `apt-get download` and unpacked into the cache folder, without installing it.
 */
import { existsSync } from 'node:fs'
import { chmod, chown, mkdir, mkdtemp, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { borrowed } from './borrowed.mjs'
import { defaultCacheDir, installed, run } from './install.mjs'
import { freePort } from './ports.mjs'
import { serverIn, startProcess, untilInterrupted } from './process.mjs'

const version = 15
const programs = join('usr', 'lib', 'postgresql', String(version), 'bin')
/** Packages that a plain Debian may lack. */
const packages = [`postgresql-${version}`, `postgresql-client-${version}`, 'libpq5']

/** Returns the folder of its programs; first unpacks them into `cacheDir` if the system has none. */
export async function install(cacheDir = defaultCacheDir()) {
  const here = join('/', programs)
  if (existsSync(join(here, 'postgres'))) return here
  const folder = await installed(join(cacheDir, `postgresql-${version}`), async (work) => {
    await run('apt-get', ['download', ...packages], { cwd: work })
    const root = join(work, 'root')
    await mkdir(root)
    for (const name of await readdir(work))
      if (name.endsWith('.deb')) await run('dpkg-deb', ['--extract', join(work, name), root])
    return root
  })
  return join(folder, programs)
}

/**
 * The server refuses to run as root. If this process is root, the server runs as the user nobody, who owns the data folder
 * and must be able to read the cache folder (`ASSAY_SERVERS_DIR`).
 */
const nobody = 65_534
const isRoot = process.getuid?.() === 0

/** Runs a program as the user of the server. */
const asServer = (command, args) =>
  isRoot
    ? { command: 'setpriv', args: [`--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups', command, ...args] }
    : { command, args }

function startServer(bin, folder, port) {
  const settings = ['-h', '127.0.0.1', '-p', String(port), '-k', '', '-c', 'fsync=off', '-c', 'timezone=UTC']
  return startProcess({
    name: 'PostgreSQL',
    ...asServer(join(bin, 'postgres'), ['-D', join(folder, 'data'), ...settings]),
    cwd: folder,
    env: environment(bin),
    readyOutput: 'ready to accept connections',
  })
}

const environment = (bin) => ({
  PATH: process.env.PATH,
  LC_ALL: 'C.UTF-8',
  LD_LIBRARY_PATH: join(bin, '..', '..', '..', `${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu`),
})

/**
 * Starts a server with its own data folder. Returns `url`, `pid`, `stop` (ends it and removes the data), `kill` (kill -9),
 * `restart` (restarts a killed server with the same data and port), `pause` and `resume`. If `ASSAY_TEST_POSTGRES` is the
 * address of a server (`postgres://user:password@host:port/database`), uses that server.
 */
export async function start(options = {}) {
  const url = process.env.ASSAY_TEST_POSTGRES
  if (url) return { url, port: Number(new URL(url).port || 5432), ...borrowed('ASSAY_TEST_POSTGRES') }
  const bin = await install(options.cacheDir)
  const folder = await mkdtemp(join(tmpdir(), 'assay-postgres-'))
  const data = join(folder, 'data')
  await mkdir(data)
  await chmod(folder, 0o755)
  if (isRoot) await chown(data, nobody, nobody)
  const { command, args } = asServer(join(bin, 'initdb'), [
    ...['-D', data, '-U', 'assay', '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync'],
  ])
  await run(command, args, { cwd: folder, env: environment(bin) })
  const port = options.port ?? (await freePort())
  const server = await serverIn(folder, () => startServer(bin, folder, port))
  return { url: `postgres://assay@127.0.0.1:${port}/postgres`, port, ...server }
}

/** `node tools/servers/postgres.mjs`: a server for manual work, until interrupted. */
if (process.argv[1] === import.meta.filename) {
  const server = await start()
  untilInterrupted(server, server.url)
}
