/** Test servers as processes. They end with the process that starts them, even if it is killed. */
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'

/** Runs `"$0" "$@"`, writes its process id to fd 4, and kills it when the pipe on fd 3 ends. */
const watched =
  '"$0" "$@" 3<&- & pid=$!; echo "pid $pid" >&4; (read -r _ <&3; kill -9 $pid 2>/dev/null) & watch=$!; ' +
  'wait $pid; code=$?; kill $watch 2>/dev/null; exit $code'

/** Whether all threads of a process are stopped. True if the system has no /proc. */
function isStopped(pid) {
  const tasks = `/proc/${pid}/task`
  if (!existsSync(tasks)) return true
  const stateOf = (id) => readFileSync(`${tasks}/${id}/stat`, 'latin1').replace(/^.*\) /s, '')[0]
  try {
    return readdirSync(tasks).every((id) => 'TtZX'.includes(stateOf(id)))
  } catch (error) {
    // The thread ended during the check.
    if (error?.code === 'ENOENT' || error?.code === 'ESRCH') return false
    throw error
  }
}

/** A signal stops a process only when it is scheduled next; until then it may still answer. */
function waitForStop(pid) {
  const sleeper = new Int32Array(new SharedArrayBuffer(4))
  for (let waited = 0; waited < 5_000 && !isStopped(pid); waited += 1) Atomics.wait(sleeper, 0, 0, 1)
}

/**
 * Starts a program. `watchesInput`: it exits when its standard input ends; for any other program a shell waits for the end
 * of a pipe and kills it. It is ready once its output contains `readyOutput`, or `isReady` returns true. Returns `ready`
 * (rejects with the output if it ends before that, or takes longer than `startWaitMs`), `pid`, `kill` and `stop` (SIGTERM,
 * and SIGKILL after `stopWaitMs`), which wait for its end, `pause` and `resume`.
 */
export function startProcess({
  name,
  command,
  args,
  cwd,
  env = process.env,
  watchesInput = false,
  readyOutput,
  isReady,
  startWaitMs = 60_000,
  stopWaitMs = 10_000,
}) {
  const child = watchesInput
    ? spawn(command, args, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] })
    : spawn('sh', ['-c', watched, command, ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'] })
  let text = ''
  let pid = watchesInput ? child.pid : undefined
  let exited = false
  let isReadyNow = false
  let isToEnd = false
  const ended = new Promise((resolve) => {
    const end = (code) => {
      exited = true
      // Otherwise the tests that follow would only say that nothing listens.
      if (isReadyNow && !isToEnd) console.error(`${name} ended by itself with ${code}: ${text}`)
      resolve()
    }
    child.on('error', end).on('close', end)
  })
  const ready = new Promise((resolve, reject) => {
    const within = `${startWaitMs / 1000} s`
    const timer = setTimeout(() => reject(new Error(`${name} did not start within ${within}: ${text}`)), startWaitMs)
    const done = (settle, value) => {
      clearTimeout(timer)
      isReadyNow ||= settle === resolve
      settle(value)
    }
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        text = (text + chunk).slice(-8000)
        if (readyOutput !== undefined && text.includes(readyOutput)) done(resolve)
      })
    child.on('error', (error) => done(reject, error))
    void ended.then(() => done(reject, new Error(`${name} ended while it started: ${text}`)))
    const poll = async () => {
      const until = performance.now() + startWaitMs
      while (!exited && performance.now() < until) {
        if (await isReady()) return done(resolve)
        await new Promise((next) => setTimeout(next, 50))
      }
    }
    if (isReady !== undefined) void poll()
  })
  // Callers that stop it before it is ready do not wait for this.
  ready.catch(() => undefined)
  const pidKnown = new Promise((resolve) => {
    if (watchesInput) return resolve()
    child.stdio[4].on('data', (chunk) => {
      pid = Number(/pid (\d+)/.exec(String(chunk))?.[1]) || pid
      resolve()
    })
  })
  const send = (signal) => {
    if (exited || pid === undefined) return
    try {
      process.kill(pid, signal)
    } catch (error) {
      // The process has ended, but the event has not been delivered yet.
      if (error?.code !== 'ESRCH') throw error
    }
  }
  const signal = async (which) => {
    isToEnd = true
    await Promise.race([pidKnown, ended])
    send(which)
    await ended
  }
  return {
    ready,
    pid: () => pid,
    kill: () => signal('SIGKILL'),
    async stop() {
      const force = setTimeout(() => send('SIGKILL'), stopWaitMs)
      await signal('SIGTERM')
      clearTimeout(force)
    },
    pause() {
      send('SIGSTOP')
      if (pid !== undefined) waitForStop(pid)
    },
    resume: () => send('SIGCONT'),
  }
}

/**
 * A server of one process with all its data in `folder`. `launch` starts it, also after a kill. Resolves when the server is
 * ready; `stop` also removes the folder.
 */
export async function serverIn(folder, launch) {
  let server = launch()
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    await server.ready
  } catch (error) {
    await server.kill()
    await remove()
    throw error
  }
  return {
    pid: () => server.pid(),
    async stop() {
      server.resume()
      await server.stop()
      await remove()
    },
    kill: () => server.kill(),
    async restart() {
      await server.kill()
      server = launch()
      await server.ready
    },
    pause: () => server.pause(),
    resume: () => server.resume(),
  }
}

/** Prints the addresses of a server that was started by hand, and stops it when interrupted. */
export function untilInterrupted(server, shown) {
  process.stdout.write(`${shown}\n`)
  for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => void server.stop().then(() => process.exit(0)))
}
