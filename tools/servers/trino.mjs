/**
 * A real Trino for tests, on loopback only, with the catalogs `memory` and `tpch`. Needs Maven (for the first install: 800 MB)
 * and Java 24 or later, in `JAVA_HOME`, on PATH or below /usr/lib/jvm.
 */
import { pbkdf2Sync, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { borrowed } from './borrowed.mjs'
import { defaultCacheDir, installed, run } from './install.mjs'
import { freePorts } from './ports.mjs'
import { serverIn, startProcess, untilInterrupted } from './process.mjs'

const version = '476'
const neededJava = 24
const plugins = ['memory', 'tpch', 'geospatial', 'password-authenticators']

const folderIn = (cacheDir) => join(cacheDir, `trino-${version}`)

/** Major version of the Java in a folder; 0 if there is none. */
async function javaVersion(home) {
  const text = await readFile(join(home, 'release'), 'utf8').catch(() => '')
  return Number(/JAVA_VERSION="(\d+)/.exec(text)?.[1] ?? 0)
}

/** The program of a Java that is new enough; `undefined` if there is none. */
async function javaProgram() {
  const all = '/usr/lib/jvm'
  const listed = (await readdir(all).catch(() => [])).map((name) => join(all, name))
  const onPath = await run('sh', ['-c', 'readlink -f "$(command -v java)"']).catch(() => '')
  const homes = [process.env.JAVA_HOME, dirname(dirname(onPath.trim())), ...listed]
  for (const home of homes) if (home && (await javaVersion(home)) >= neededJava) return join(home, 'bin', 'java')
  return undefined
}

export async function whyNot(cacheDir = defaultCacheDir()) {
  if (process.env.ASSAY_TEST_TRINO) return undefined
  if ((await javaProgram()) === undefined) return `Trino ${version} needs Java ${neededJava} or later.`
  if (existsSync(folderIn(cacheDir))) return undefined
  return 'Trino is not installed. `node tools/servers/trino.mjs install` installs it.'
}

/** Downloads the server and keeps its libraries and a few of its plugins in `cacheDir`. Returns their folder. */
export const install = (cacheDir = defaultCacheDir()) =>
  installed(folderIn(cacheDir), async (work) => {
    const artifact = `-Dartifact=io.trino:trino-server:${version}:tar.gz`
    await run('mvn', ['-q', '-B', 'dependency:copy', artifact, `-DoutputDirectory=${work}`], { cwd: work })
    const root = `trino-server-${version}`
    const kept = ['lib', ...plugins.map((name) => `plugin/${name}`)].map((name) => `${root}/${name}`)
    await run('tar', ['-xzf', `${root}.tar.gz`, ...kept], { cwd: work })
    return join(work, root)
  })

const asProperties = (entries) =>
  Object.entries(entries)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('')

/** A line of the password file: `name:iterations:salt:hash`. */
function passwordLine([name, password]) {
  const [iterations, salt] = [1000, randomBytes(16)]
  const hash = pbkdf2Sync(password, salt, iterations, 20, 'sha1')
  return `${name}:${iterations}:${salt.toString('hex')}:${hash.toString('hex')}\n`
}

/** Writes the configuration. `secured`: also HTTPS, with users. */
async function configure(folder, { port, securedPort, secured, properties, files }) {
  const users = secured && {
    'http-server.https.enabled': true,
    'http-server.https.port': securedPort,
    'http-server.https.keystore.path': join(folder, 'server.pem'),
    'http-server.authentication.type': 'PASSWORD',
    'http-server.authentication.allow-insecure-over-http': true,
    'internal-communication.shared-secret': 'only for tests',
  }
  const written = {
    'etc/config.properties': asProperties({
      coordinator: true,
      'node-scheduler.include-coordinator': true,
      'http-server.http.port': port,
      'discovery.uri': `http://127.0.0.1:${port}`,
      'query.max-memory': '512MB',
      'query.max-memory-per-node': '400MB',
      'memory.heap-headroom-per-node': '200MB',
      'catalog.management': 'static',
      ...users,
      ...properties,
    }),
    'etc/catalog/memory.properties': asProperties({ 'connector.name': 'memory', 'memory.max-data-per-node': '256MB' }),
    'etc/catalog/tpch.properties': asProperties({ 'connector.name': 'tpch' }),
    'etc/log.properties': asProperties({ 'io.trino': 'WARN', 'io.airlift': 'WARN', 'io.trino.server.Server': 'INFO' }),
    ...(secured && {
      'server.pem': `${secured.key}\n${secured.certificate}`,
      'etc/password-authenticator.properties': asProperties({
        'password-authenticator.name': 'file',
        'file.password-file': join(folder, 'passwords'),
      }),
      passwords: Object.entries(secured.users).map(passwordLine).join(''),
    }),
    ...files,
  }
  await mkdir(join(folder, 'etc', 'catalog'), { recursive: true })
  for (const [name, text] of Object.entries(written))
    await writeFile(join(folder, name), text.replaceAll('{folder}', folder), { mode: 0o600 })
  await mkdir(join(folder, 'data'))
}

const startServer = (java, root, folder) =>
  startProcess({
    name: 'Trino',
    command: java,
    args: [
      '-Xmx1200m',
      '-XX:+UseSerialGC',
      '-XX:TieredStopAtLevel=1',
      '-XX:+EnableDynamicAgentLoading',
      '-XX:-OmitStackTraceInFastThrow',
      '-Djdk.attach.allowAttachSelf=true',
      '-Dfile.encoding=UTF-8',
      '--add-modules=jdk.incubator.vector',
      '--sun-misc-unsafe-memory-access=allow',
      '--enable-native-access=ALL-UNNAMED',
      '-Dnode.environment=test',
      '-Dnode.id=test',
      '-Dnode.internal-address=127.0.0.1',
      '-Dnode.bind-ip=127.0.0.1',
      `-Dnode.data-dir=${join(folder, 'data')}`,
      `-Dplugin.dir=${join(root, 'plugin')}`,
      `-Dcatalog.config-dir=${join(folder, 'etc', 'catalog')}`,
      `-Dconfig=${join(folder, 'etc', 'config.properties')}`,
      `-Dlog.levels-file=${join(folder, 'etc', 'log.properties')}`,
      '-cp',
      `${root}/lib/*`,
      'io.trino.server.TrinoServer',
    ],
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, LC_ALL: 'C.UTF-8' },
    readyOutput: 'SERVER STARTED',
    startWaitMs: 180_000,
  })

/**
 * Starts a server with its own data folder. Returns `url`, `port`, `pid`, `stop` (ends it and removes the data), `kill`
 * (kill -9), `restart` (restarts a killed server with the same port; tables of the catalog `memory` are lost), `pause` and
 * `resume`. `secured`: also listens with TLS and demands passwords there (`certificate` and `key` in PEM form; `users`:
 * passwords by name); its address is `securedUrl`. `properties` are added to the configuration. `files`: further
 * files, by name; `{folder}` in them stands for the folder of the server. If `ASSAY_TEST_TRINO` is the address of a server
 * (`http://user@host:port`), uses that server.
 */
export async function start(options = {}) {
  const url = process.env.ASSAY_TEST_TRINO
  if (url && Object.keys(options).length === 0)
    return { url, port: Number(new URL(url).port || 8080), ...borrowed('ASSAY_TEST_TRINO') }
  const root = await install(options.cacheDir)
  const java = await javaProgram()
  if (java === undefined) throw new Error(`Trino ${version} needs Java ${neededJava} or later.`)
  const folder = await mkdtemp(join(tmpdir(), 'assay-trino-'))
  const [port, securedPort] = await freePorts(2)
  await configure(folder, { ...options, port, securedPort })
  const server = await serverIn(folder, () => startServer(java, root, folder))
  return {
    url: `http://assay@127.0.0.1:${port}`,
    port,
    ...(options.secured ? { securedUrl: `https://localhost:${securedPort}` } : {}),
    folder,
    ...server,
  }
}

/** `node tools/servers/trino.mjs`: a server for manual work, until interrupted; with `install`: only installs it. */
if (process.argv[1] === import.meta.filename) {
  if (process.argv[2] === 'install') process.stdout.write(`Trino is at ${await install()}\n`)
  else {
    const server = await start()
    untilInterrupted(server, server.url)
  }
}
