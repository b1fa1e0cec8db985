import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { freePort } from '../../tools/servers/ports.mjs'
import { composeCommand, docker, root } from './docker.ts'

const project = `assay-image-${process.pid}`
const pair = { accessKey: 'compose-access-key-of-tests', secretKey: 'compose-secret-key-of-tests' }
let shared: string
let base: string
let env: NodeJS.ProcessEnv

function compose(...args: string[]): void {
  const [command, ...first] = composeCommand()
  const files = ['docker-compose.yml', 'deploy/containers/compose.local.yaml'].flatMap((file) => ['--file', file])
  const all = [...first, '--project-name', project, ...files, ...args]
  const { status, stderr } = spawnSync(command, all, { cwd: root, env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`compose ${args[0]} ended with ${status}: ${stderr.slice(-4000)}`)
}

beforeAll(async () => {
  shared = mkdtempSync(join(tmpdir(), 'assay-compose-'))
  chmodSync(shared, 0o755)
  const port = await freePort()
  base = `http://127.0.0.1:${port}`
  env = {
    ...process.env,
    SHARED: shared,
    GATEWAY_PORT: String(port),
    ASSAY_ADMIN_ACCESS_KEY: pair.accessKey,
    ASSAY_ADMIN_SECRET_KEY: pair.secretKey,
    ASSAY_IDENTITY_SECRET: 'an-identity-secret-that-is-of-tests-alone',
  }
  compose('up', '--wait', '--wait-timeout', '600', '--no-build')
}, 900_000)
afterAll(() => {
  compose('down', '--volumes', '--timeout', '45')
  rmSync(shared, { recursive: true, force: true })
}, 300_000)

describe('given docker compose with locally built servers', () => {
  test('then the HTTP suite passes', async () => {
    const suite = spawn(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--project', 'http'], {
      cwd: root,
      env: {
        ...process.env,
        ASSAY_BASE_URL: base,
        ASSAY_ACCESS_KEY: pair.accessKey,
        ASSAY_SECRET_KEY: pair.secretKey,
        ASSAY_SHARED_DIR: shared,
      },
      stdio: 'inherit',
    })
    expect(await once(suite, 'exit')).toEqual([0, null])
  })

  test('when a service hangs, then its health check kills it, and it is restarted', async () => {
    const name = `${project}-policy-1`
    const startedAt = () => docker('inspect', '--format', '{{.State.StartedAt}}', name)
    const before = startedAt()
    const stop = `for (const pid of require('node:fs').readdirSync('/proc').filter((name) => /^\\d+$/.test(name)))
      if (Number(pid) !== process.pid && require('node:fs').readFileSync('/proc/' + pid + '/cmdline', 'utf8').includes('services/policy')) process.kill(Number(pid), 'SIGSTOP')`
    docker('exec', name, 'node', '-e', stop)
    const health = () => docker('inspect', '--format', '{{.State.Health.Status}}', name)
    await vi.waitFor(() => expect(startedAt()).not.toBe(before), { timeout: 300_000, interval: 2_000 })
    await vi.waitFor(() => expect(health()).toBe('healthy'), { timeout: 300_000, interval: 2_000 })
  }, 660_000)
})
