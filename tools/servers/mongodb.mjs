/**
 * A server for tests that speaks MongoDB's wire protocol and keeps its data on disk: SecantusDB, from PyPI, on loopback
 * only. Only for tests. Needs `python3` with `venv` on PATH.
 */
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { borrowed } from './borrowed.mjs'
import { defaultCacheDir, pythonWith } from './install.mjs'
import { freePort } from './ports.mjs'
import { serverIn, startProcess, untilInterrupted } from './process.mjs'

const version = '0.7.0b3'

/** Installs the server into `cacheDir` and returns its folder. */
export const install = (cacheDir = defaultCacheDir()) =>
  pythonWith(join(cacheDir, `secantusdb-${version}`), `secantusdb==${version}`)

/**
 * A server that exits when its standard input ends, so that it also ends if this process is killed. For drivers that
 * retry writes, the server keeps the answers of writes, by default for 30 minutes, and searches all of them at each
 * write. After a few thousand writes this is most of its work. A driver retries within seconds, so a shorter time is set.
 */
const program = `
import os, sys, threading
def watch():
    sys.stdin.buffer.read()
    os._exit(1)
threading.Thread(target=watch, daemon=True).start()
from secantus import transactions
transactions._RETRYABLE_RECORD_LIFETIME_SECONDS = 30.0
transactions._RETRYABLE_RECORD_MAX = 1_000_000
from secantus.cli import main
main()
`

const startServer = (python, port, folder, more) =>
  startProcess({
    name: 'The MongoDB server',
    command: python,
    args: [
      ...['-c', program, '--host', '127.0.0.1', '--port', String(port)],
      ...['--storage-path', join(folder, 'data'), '--cache-size', '256M'],
      ...more,
    ],
    // The server reads configuration files in its working directory and in HOME.
    cwd: folder,
    env: { ...process.env, HOME: folder },
    watchesInput: true,
    readyOutput: 'listening on',
  })

/**
 * Starts a server with its own data folder; `arguments` are added to its command line (TLS, users). Returns `url`, `pid`
 * (of the process), `stop` (ends it and removes the data), `kill` (kill -9), `restart` (restarts a killed server with the
 * same data and port, and with other `arguments` if given), `pause` and `resume`. If `ASSAY_TEST_MONGODB` is the address
 * of a server, uses that server, unless there are `arguments`: tests with them create users, which must not happen on a
 * foreign server.
 */
export async function start(options = {}) {
  const url = process.env.ASSAY_TEST_MONGODB
  if (url && options.arguments === undefined)
    return { url, port: Number(new URL(url).port), ...borrowed('ASSAY_TEST_MONGODB') }
  const python = join(await install(options.cacheDir), 'bin', 'python')
  const folder = await mkdtemp(join(tmpdir(), 'assay-mongodb-'))
  const port = options.port ?? (await freePort())
  let more = options.arguments ?? []
  const server = await serverIn(folder, () => startServer(python, port, folder, more))
  return {
    url: `mongodb://127.0.0.1:${port}/?directConnection=true`,
    port,
    ...server,
    async restart(others = more) {
      more = others
      await server.restart()
    },
  }
}

/** `node tools/servers/mongodb.mjs`: a server for manual work, until interrupted. */
if (process.argv[1] === import.meta.filename) {
  const server = await start()
  untilInterrupted(server, server.url)
}
