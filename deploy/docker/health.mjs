/**
 * The health check of a container: exits with 0 if the process is ready. Docker does not restart unhealthy containers,
 * so a process that reports that it is stuck, or has not answered for several checks in a row, is ended here and
 * restarted by the container's restart policy. A process that hangs ignores SIGTERM, and process 1 ignores SIGKILL from
 * within its container: `init: true` adds an init.
 */
import { readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const port = process.env.PORT ?? '8888'
const limitMs = Number(process.env.ASSAY_HEALTH_LIMIT_MS ?? 4_000)
/** Consecutive checks without an answer: longer than any pause from which a process recovers. */
const patience = 6
const unanswered = join(tmpdir(), 'assay-unanswered-checks')

const ask = (path) => fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(limitMs) })

/** The number of consecutive checks without an answer, including this one. */
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

/** The service in this container: the process that runs a main in the working directory of this check. */
function services() {
  const found = []
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue
    try {
      const command = readFileSync(`/proc/${name}/cmdline`, 'utf8')
      if (readlinkSync(`/proc/${name}/cwd`) === process.cwd() && /services\/\w+\/src\/main\.ts/.test(command))
        found.push(Number(name))
    } catch {
      // It has ended, or belongs to another user.
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
