import type { FromChild, ToChild } from '../protocol.ts'
import { openDatabase, warmUp } from './database.ts'
import { engineFailure } from './failure.ts'
import { serveOnce } from './serve.ts'
import { runWarmUp } from './warm-up-run.ts'

/**
 * A process that waits with the engine loaded and warmed up, does one piece of work, sends the outcome and exits. It
 * also exits when its parent does.
 */

function send(message: FromChild, then?: () => void): void {
  if (process.connected && process.send) process.send(message, undefined, undefined, then)
  else then?.()
}

const instance = openDatabase()
const working = new AbortController()
let warmUpRun: Promise<unknown> = Promise.resolve()
const serve = serveOnce({
  instance: () => instance,
  send,
  exit(code) {
    if (code === 1) process.exit(1)
    // Removes the files of the warm-up run before the process ends.
    void warmUpRun.finally(() => process.exit(0))
  },
})
const warmed = instance.then(warmUp)
process.on('disconnect', () => process.exit(0))
// Ctrl-C reaches the whole process group, and service managers signal every process. So children ignore these signals:
// only the parent decides when work ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined)
process.on('message', (message: ToChild) => {
  if (message.kind === 'run') working.abort()
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
