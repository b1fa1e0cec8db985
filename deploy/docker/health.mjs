/**
 * The health check of a container: exits with 0 if the process is ready. Docker does not restart unhealthy containers. So
 * this check ends a process that reports that it is stuck, or has not answered several checks in a row, and the container's
 * restart policy restarts it. A process that hangs ignores SIGTERM, and process 1 ignores SIGKILL from within its container;
 * `init: true` makes another process number 1.
 */
import { readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const port = process.env.PORT ?? '8888'
const limitMs = Number(process.env.ASSAY_HEALTH_LIMIT_MS ?? 4_000)
/** Maximum consecutive checks without an answer; no process recovers from a longer pause. */
const maxUnanswered = 6
const unanswered = join(tmpdir(), 'assay-unanswered-checks')

const ask = (path) => fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(limitMs) })

/** The number of consecutive checks without an answer, including this one. */
function countUnanswered() {
  let before = 0
  try {
    before = Number(readFileSync(unanswered, 'utf8'))
  } catch {
    // No earlier check failed.
  }
  writeFileSync(unanswered, String(before + 1))
  return before + 1
}

/** The process ids of the service: processes that run a `main.ts` in the working directory of this check. */
function services() {
  const found = []
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue
    try {
      const command = readFileSync(`/proc/${name}/cmdline`, 'utf8')
      if (readlinkSync(`/proc/${name}/cwd`) === process.cwd() && /services\/\w+\/src\/main\.ts/.test(command))
        found.push(Number(name))
    } catch {
      // The process has ended, or belongs to another user.
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
  if (countUnanswered() >= maxUnanswered) {
    rmSync(unanswered, { force: true })
    end('SIGKILL')
  }
  process.exit(1)
}
