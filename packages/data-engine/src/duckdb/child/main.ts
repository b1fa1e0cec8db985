import type { FromChild, ToChild } from '../protocol.ts'
import { openDatabase, warmUp } from './database.ts'
import { engineFailure } from './failure.ts'
import { serveOnce } from './serve.ts'
import { runWarmUp } from './warm-up-run.ts'

/**
 * A process that waits with the engine loaded and warmed up, does a piece of work and sends the outcome. Starting it
 * costs half a second of a core, so it then waits for more work, with a new engine instance. It exits after work that
 * failed or that is its last, and when its parent does.
 */

/** A child that has more memory after its work exits, so that the memory of later work is not less than its limit. */
const mostIdleBytes = 220 * 1_048_576
/** Bounds what a process can accumulate. */
const mostPieces = 100

function send(message: FromChild, then?: () => void): void {
  if (process.connected && process.send) process.send(message, undefined, undefined, then)
  else then?.()
}

let instance = openDatabase()
const working = new AbortController()
let warmUpRun: Promise<unknown> = Promise.resolve()
let isLast = false
let pieces = 0

async function waitForMore(): Promise<void> {
  await warmUpRun
  const used = await instance
  used.closeSync()
  pieces += 1
  if (isLast || pieces >= mostPieces || process.memoryUsage.rss() > mostIdleBytes) process.exit(0)
  instance = openDatabase()
  await instance
  serve = serveWork()
  send({ kind: 'idle' })
}

const serveWork = () =>
  serveOnce({
    instance: () => instance,
    send,
    ended(how) {
      if (how === 'BROKEN_DOWN') process.exit(1)
      // Removes the files of the warm-up run before the process ends.
      if (how === 'FAILED') void warmUpRun.finally(() => process.exit(0))
      else waitForMore().catch(() => process.exit(0))
    },
  })
let serve = serveWork()
const warmed = instance.then(warmUp)
process.on('disconnect', () => process.exit(0))
// Ctrl-C reaches the whole process group, and service managers signal every process. So children ignore these signals:
// only the parent decides when work ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined)
process.on('message', (message: ToChild) => {
  if (message.kind === 'run') {
    working.abort()
    isLast = message.isLast
  }
  serve(message)
})
warmed.then(
  () => {
    send({ kind: 'ready' })
    // If the warm-up run fails, the first run is only slower.
    if (!working.signal.aborted) warmUpRun = runWarmUp(process.cwd(), working.signal).catch(() => undefined)
  },
  (error: unknown) =>
    send({ kind: 'failed', code: 'unavailable', message: engineFailure(error).message }, () => process.exit(1)),
)
