import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

const script = fileURLToPath(new URL('./health.mjs', import.meta.url))
let folder: string
let service: ChildProcess | undefined
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-health-'))
  mkdirSync(join(folder, 'services/one/src'), { recursive: true })
})
afterEach(() => {
  service?.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

/** Starts a service that gives these answers, or that listens and then hangs; returns its port. */
async function start(healthz: number, readyz: number, hangs = false): Promise<string> {
  writeFileSync(
    join(folder, 'services/one/src/main.ts'),
    `const server = require('node:http').createServer((request, response) => {
      response.statusCode = request.url === '/healthz' ? ${healthz} : ${readyz}
      response.end()
    }).listen(0, '127.0.0.1', () => {
      require('node:fs').writeSync(1, server.address().port + '\\n')
      if (${hangs}) for (;;);
    })`,
  )
  service = spawn(process.execPath, ['services/one/src/main.ts'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (service.stdout === null) throw new Error('The service has no output.')
  const [line] = await once(service.stdout, 'data')
  return String(line).trim()
}

async function check(port: string, limitMs = 20_000): Promise<number | null> {
  const checking = spawn(process.execPath, [script], {
    cwd: folder,
    env: { ...process.env, PORT: port, TMPDIR: folder, ASSAY_HEALTH_LIMIT_MS: String(limitMs) },
    stdio: 'ignore',
  })
  const [code] = await once(checking, 'exit')
  return code
}

describe('given the health check of a container', () => {
  test('when the service is ready, then it is healthy; when it waits for a server, then it is unhealthy and keeps running', async () => {
    expect(await check(await start(200, 200))).toBe(0)
    service?.kill('SIGKILL')
    expect(await check(await start(200, 503))).toBe(1)
    expect(service?.exitCode).toBeNull()
  })

  test('when the service reports that it is stuck, then it gets SIGTERM', async () => {
    const port = await start(503, 503)
    const ended = once(service ?? process, 'exit')
    expect(await check(port)).toBe(1)
    expect(await ended).toEqual([null, 'SIGTERM'])
  })

  test('when the service hangs, then it is killed at the sixth check', async () => {
    const port = await start(200, 200, true)
    const ended = once(service ?? process, 'exit')
    const hangsMs = 200
    for (let checks = 0; checks < 5; checks++) expect(await check(port, hangsMs)).toBe(1)
    expect([service?.exitCode, service?.signalCode]).toEqual([null, null])
    await check(port, hangsMs)
    expect(await ended).toEqual([null, 'SIGKILL'])
  })
})
