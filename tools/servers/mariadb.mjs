/**
 * A MariaDB server for tests, on loopback only. Uses the programs of Debian's package `mariadb-server-core` if installed;
 * otherwise the package is fetched by `apt-get download` and unpacked into the cache folder, without installing it.
 */
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { borrowed } from './borrowed.mjs'
import { defaultCacheDir, installed, run } from './install.mjs'
import { freePort } from './ports.mjs'
import { serverIn, startProcess, untilInterrupted } from './process.mjs'

/** Packages that a plain Debian may lack. */
const packages = ['mariadb-server-core', 'libaio1', 'libnuma1', 'liburing2']
const program = join('usr', 'sbin', 'mariadbd')

/** Returns the root folder of its programs; first unpacks them into `cacheDir` if the system has none. */
export async function install(cacheDir = defaultCacheDir()) {
  if (existsSync(join('/', program))) return '/'
  return installed(join(cacheDir, 'mariadb-10.11'), async (work) => {
    await run('apt-get', ['download', ...packages], { cwd: work })
    const root = join(work, 'root')
    await mkdir(root)
    for (const name of await readdir(work))
      if (name.endsWith('.deb')) await run('dpkg-deb', ['--extract', join(work, name), root])
    return root
  })
}

const environment = (root) => ({
  PATH: process.env.PATH,
  LC_ALL: 'C.UTF-8',
  TZ: 'America/New_York',
  LD_LIBRARY_PATH: join(root, 'usr', 'lib', `${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu`),
})

/** Small caches, and no waiting for disks. The server's own zone and collation are not those of a session of Assay. */
const settings = [
  ...[
    '--no-defaults',
    '--innodb-buffer-pool-size=64M',
    '--innodb-log-file-size=16M',
    '--aria-pagecache-buffer-size=8M',
  ],
  ...[
    '--innodb-flush-log-at-trx-commit=0',
    '--innodb-doublewrite=0',
    '--innodb-use-native-aio=0',
    '--skip-name-resolve',
  ],
  // Without this option, the server refuses to run as root.
  ...(process.getuid?.() === 0 ? ['--user=root'] : []),
]

/** Creates the system's tables, and a user `assay` with all rights, without a password, and a database `assay`. */
async function createData(root, folder) {
  const share = join(root, 'usr', 'share', 'mysql')
  const scripts = ['mysql_system_tables.sql', 'mysql_performance_tables.sql', 'mysql_system_tables_data.sql']
  const texts = await Promise.all(scripts.map((name) => readFile(join(share, name), 'utf8')))
  // A bootstrap reads one statement a line.
  const own = [
    'CREATE DATABASE assay;',
    'FLUSH PRIVILEGES;',
    "DROP USER IF EXISTS ''@'localhost';",
    "CREATE USER assay@'127.0.0.1';",
    "GRANT ALL ON *.* TO assay@'127.0.0.1' WITH GRANT OPTION;",
  ]
  const script = join(folder, 'bootstrap.sql')
  await writeFile(script, ['CREATE DATABASE mysql;\nUSE mysql;', ...texts, ...own, ''].join('\n'))
  const args = ['--bootstrap', `--datadir=${join(folder, 'data')}`, `--lc-messages-dir=${share}`, '--log-warnings=0']
  const command = ['-c', '"$0" "$@" < bootstrap.sql', join(root, program), ...settings, ...args]
  await run('sh', command, { cwd: folder, env: environment(root) })
}

function startServer(root, folder, port, more) {
  const share = join(root, 'usr', 'share', 'mysql')
  const args = [`--datadir=${join(folder, 'data')}`, `--lc-messages-dir=${share}`, '--bind-address=127.0.0.1']
  const sockets = [`--port=${port}`, `--socket=${join(folder, 'socket')}`, `--pid-file=${join(folder, 'pid')}`]
  return startProcess({
    name: 'MariaDB',
    command: join(root, program),
    args: [...settings, ...args, ...sockets, ...more],
    cwd: folder,
    env: environment(root),
    readyOutput: 'ready for connections',
  })
}

/**
 * Starts a server with its own data folder. Returns `url`, `port`, `pid`, `stop` (ends it and removes the data), `kill`
 * (kill -9), `restart` (restarts a killed server with the same data and port), `pause` and `resume`. `files`: written next
 * to the data before it starts, by name; `{folder}` in `settings` stands for their folder. If `ASSAY_TEST_MARIADB` is the
 * address of a server (`mysql://user:password@host:port/database`), uses that server.
 */
export async function start(options = {}) {
  const url = process.env.ASSAY_TEST_MARIADB
  if (url) return { url, port: Number(new URL(url).port || 3306), ...borrowed('ASSAY_TEST_MARIADB') }
  const root = await install(options.cacheDir)
  const folder = await mkdtemp(join(tmpdir(), 'assay-mariadb-'))
  const data = join(folder, 'data')
  await mkdir(data)
  for (const [name, text] of Object.entries(options.files ?? {})) await writeFile(join(folder, name), text)
  await createData(root, folder)
  const port = options.port ?? (await freePort())
  const more = (options.settings ?? []).map((setting) => setting.replaceAll('{folder}', folder))
  const server = await serverIn(folder, () => startServer(root, folder, port, more))
  return { url: `mysql://assay@127.0.0.1:${port}/assay`, port, ...server }
}

/** `node tools/servers/mariadb.mjs`: a server for manual work, until interrupted. */
if (process.argv[1] === import.meta.filename) {
  const server = await start()
  untilInterrupted(server, server.url)
}
