/**
 * The health check of a container: exits with 0 when the process is ready. Nothing in Docker restarts what is unhealthy, so a
 * process that says that it is stuck, or that has not answered for several checks in a row, is ended here and restarted by
 * the container's restart policy. A process that hangs takes no SIGTERM, and process 1 no SIGKILL from within its
 * container: `init: true` puts an init there.
 */
import { readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const port = process.env.PORT ?? '8888'
const limitMs = Number(process.env.ASSAY_HEALTH_LIMIT_MS ?? 4_000)
/** Checks in a row without an answer: longer than any pause that a process comes out of by itself. */
const patience = 6
const unanswered = join(tmpdir(), 'assay-unanswered-checks')

const ask = (path) => fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(limitMs) })

/** How many checks in a row found nobody, with this one. */
function countUnanswered() {
  let before = 0
  try {
    before = Number(readFileSync(unanswered, 'utf8'))
  } catch {
    // The first one.
  }
  writeFileSync(unanswered, String(before + 1))
  return before + 1
}

/** The service in this container: the process that runs a main in the folder that this one was started in. */
function services() {
  const found = []
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue
    try {
      const command = readFileSync(`/proc/${name}/cmdline`, 'utf8')
      if (readlinkSync(`/proc/${name}/cwd`) === process.cwd() && /services\/\w+\/src\/main\.ts/.test(command))
        found.push(Number(name))
    } catch {
      // It has ended, or is somebody else's.
    }
  }
  return found
}

function end(signal) {
  for (const pid of services()) process.kill(pid, signal)
  process.exit(1)
}

try {
  const alive = await ask('/healthz')
  rmSync(unanswered, { force: true })
  if (alive.status === 503) end('SIGTERM')
  process.exit((await ask('/readyz')).ok ? 0 : 1)
} catch (error) {
  process.stderr.write(`${error.message}\n`)
  if (countUnanswered() >= patience) {
    rmSync(unanswered, { force: true })
    end('SIGKILL')
  }
  process.exit(1)
}
