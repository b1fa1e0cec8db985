/**
 * A server for tests that speaks MongoDB's wire protocol and keeps its data on disk: SecantusDB, from PyPI, on loopback
 * only. A tool of tests, never part of the product. Needs `python3` with `venv` on PATH.
 */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { borrowed } from './borrowed.mjs'
import { freePort } from './ports.mjs'

const version = '0.7.0b3'
const startWaitMs = 60_000

export const defaultCacheDir = () => process.env.ASSAY_SERVERS_DIR ?? join(homedir(), '.cache', 'assay-servers')

/** Runs a command to its end; throws with what it wrote when it fails. */
async function run(command, args) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text = (text + chunk).slice(-4000)))
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve))
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}: ${text}`)
}

/**
 * Puts the server into `cacheDir` and answers its folder. Nothing happens where it is; two runs at once are safe, because
 * the folder gets its name only when it is whole. (Scripts of a moved environment name the old folder; its `python` works.)
 */
export async function install(cacheDir = defaultCacheDir()) {
  const folder = join(cacheDir, `secantusdb-${version}`)
  if (existsSync(folder)) return folder
  await mkdir(cacheDir, { recursive: true })
  const work = await mkdtemp(join(cacheDir, 'secantusdb-installing-'))
  try {
    await run('python3', ['-m', 'venv', join(work, 'venv')])
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', `secantusdb==${version}`]
    await run(join(work, 'venv', 'bin', 'python'), pip)
    await rename(join(work, 'venv'), folder).catch((error) => {
      if (!existsSync(folder)) throw error
    })
  } finally {
    await rm(work, { recursive: true, force: true })
  }
  return folder
}

/** Ends at once when its standard input does, which is a pipe from here: also when this process is killed. */
const program = `
import os, sys, threading
def watch():
    sys.stdin.buffer.read()
    os._exit(1)
threading.Thread(target=watch, daemon=True).start()
from secantus.cli import main
main()
`

function startServer(python, port, folder) {
  const args = ['--host', '127.0.0.1', '--port', String(port), '--storage-path', join(folder, 'data')]
  const child = spawn(python, ['-c', program, ...args, '--cache-size', '256M'], {
    // The server looks for a configuration file here and at home.
    cwd: folder,
    env: { ...process.env, HOME: folder },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let text = ''
  let exited = false
  const ended = new Promise((resolve) =>
    child.on('close', () => {
      exited = true
      resolve()
    }),
  )
  const ready = new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`The MongoDB server did not start in time: ${text}`)), startWaitMs)
    const done = (settle, value) => {
      clearTimeout(timer)
      settle(value)
    }
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        text = (text + chunk).slice(-8000)
        if (text.includes('listening on')) done(resolve)
      })
    child.on('error', (error) => done(reject, error))
    void ended.then(() => done(reject, new Error(`The MongoDB server ended while it started: ${text}`)))
  })
  const signal = async (name) => {
    if (!exited) child.kill(name)
    await ended
  }
  return {
    ready,
    pid: () => child.pid,
    kill: () => signal('SIGKILL'),
    async stop() {
      const force = setTimeout(() => child.kill('SIGKILL'), 10_000)
      await signal('SIGTERM')
      clearTimeout(force)
    },
    pause: () => child.kill('SIGSTOP'),
    resume: () => child.kill('SIGCONT'),
  }
}

/**
 * Starts a server with a data folder of its own. Answers `url`, `pid` (of the process), `stop` (ends it and removes the data), `kill` (kill -9),
 * `restart` (a killed one comes back over the same data and port), `pause` and `resume`.
 * Where `ASSAY_TEST_MONGODB` is the address of a server, that one is used instead.
 */
export async function start(options = {}) {
  const url = process.env.ASSAY_TEST_MONGODB
  if (url) return { url, port: Number(new URL(url).port), ...borrowed('ASSAY_TEST_MONGODB') }
  const python = join(await install(options.cacheDir), 'bin', 'python')
  const folder = await mkdtemp(join(tmpdir(), 'assay-mongodb-'))
  const port = options.port ?? (await freePort())
  let server = startServer(python, port, folder)
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    await server.ready
  } catch (error) {
    await server.kill()
    await remove()
    throw error
  }
  return {
    url: `mongodb://127.0.0.1:${port}/?directConnection=true`,
    port,
    pid: () => server.pid(),
    async stop() {
      server.resume()
      await server.stop()
      await remove()
    },
    kill: () => server.kill(),
    async restart() {
      await server.kill()
      server = startServer(python, port, folder)
      await server.ready
    },
    pause: () => server.pause(),
    resume: () => server.resume(),
  }
}

/** `node tools/servers/mongodb.mjs`: a server for hand work, until interrupted. */
if (process.argv[1] === import.meta.filename) {
  const server = await start()
  process.stdout.write(`${server.url}\n`)
  for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => void server.stop().then(() => process.exit(0)))
}
