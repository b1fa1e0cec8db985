import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test, vi } from 'vitest'
import { freePort } from '../../tools/servers/ports.mjs'

const waiting = { timeout: 50_000, interval: 50 }

function lives(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('given a service, when its parent process is killed, then it ends too', async () => {
  const port = await freePort()
  const fixture = fileURLToPath(new URL('./orphan.fixture.ts', import.meta.url))
  const parent = spawn(process.execPath, [fixture, String(port)], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(parent, 'exit')
  let pid = 0
  try {
    const [output] = await once(parent.stdout, 'data')
    pid = Number(String(output))
    const health = () => fetch(`http://127.0.0.1:${port}/healthz`)
    await vi.waitFor(async () => expect((await health()).status).toBe(200), waiting)
    parent.kill('SIGKILL')
    await ended
    await vi.waitFor(() => expect(lives(pid)).toBe(false), waiting)
  } finally {
    parent.kill('SIGKILL')
    if (pid > 0 && lives(pid)) process.kill(pid, 'SIGKILL')
  }
}, 110_000)
