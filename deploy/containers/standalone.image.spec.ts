import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { docker, image } from './docker.ts'
import { buildProduct } from './local-images.ts'

const made: string[] = []
const volumes: string[] = []
afterAll(() => {
  for (const name of made) docker('rm', '--force', '--volumes', name)
  for (const name of volumes) docker('volume', 'rm', '--force', name)
})

/** Starts the image as the README says, on a free port. */
function start(name: string, data: string): string {
  made.push(name)
  docker(
    'run',
    '--detach',
    '--name',
    name,
    '--read-only',
    '--tmpfs',
    '/tmp',
    '--publish',
    '127.0.0.1::8888',
    '--volume',
    `${data}:/data`,
    image,
  )
  return `http://${docker('port', name, '8888/tcp').split('\n')[0]}`
}

async function ready(url: string): Promise<unknown> {
  for (let tries = 0; tries < 240; tries++) {
    const answer = await fetch(`${url}/readyz`).catch(() => undefined)
    if (answer?.ok) return await answer.json()
    await delay(250)
  }
  throw new Error(`${url} is not ready.`)
}

const contents = (of: string) =>
  docker(
    'run',
    '--rm',
    '--entrypoint',
    'sh',
    of,
    '-c',
    'cd / && find app compiled -mindepth 1 -printf "%p %T@ %m %l\\n" | sort; find app -type f -print0 | sort -z | xargs -0 sha256sum',
  )

describe('given the image', () => {
  test('when it runs without an argument, with a port and a volume, on a read-only root, then it serves and keeps its data', async () => {
    const [name, data] = [`assay-image-${process.pid}`, `assay-image-${process.pid}`]
    volumes.push(data)
    expect(await ready(start(name, data))).toMatchObject({ status: 'ready' })
    expect(docker('exec', name, 'id', '-u')).toBe('1000')
    const [, accessKey = '', secretKey = ''] = /accessKey: (\S+)\s+secretKey: (\S+)/.exec(docker('logs', name)) ?? []
    docker('stop', '--time', '40', name)
    expect(docker('inspect', '--format', '{{.State.ExitCode}}', name)).toBe('0')

    const next = start(`${name}-next`, data)
    await ready(next)
    expect((await fetch(`${next}/catalog-server/api/assets`, { headers: { accessKey, secretKey } })).status).toBe(200)
    expect(docker('logs', `${name}-next`)).not.toContain('secretKey')
  })

  test('when its folder belongs to root, then the error names the user that must be able to write', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'assay-image-root-'))
    try {
      chownSync(folder, 0, 0)
      chmodSync(folder, 0o755)
      const name = `assay-image-root-${process.pid}`
      start(name, folder)
      expect(docker('wait', name)).toBe('1')
      expect(spawnSync('docker', ['logs', name], { encoding: 'utf8' }).stderr).toContain('by user 1000')
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  test('then its labels describe it, and it contains no test sources', () => {
    const labels = JSON.parse(docker('inspect', '--format', '{{json .Config.Labels}}', image))
    expect(labels).toMatchObject({
      'org.opencontainers.image.title': 'Assay',
      'org.opencontainers.image.licenses': 'Apache-2.0',
      'org.opencontainers.image.revision': expect.stringMatching(/^[0-9a-f]{40}/),
    })
    const files = docker(
      'run',
      '--rm',
      '--entrypoint',
      'sh',
      image,
      '-c',
      'find /app/packages /app/services -path "*/node_modules" -prune -o -type f -print',
    )
    expect(files.split('\n').filter((file) => /\.(spec|fixture|features)\.ts$|\/testing\//.test(file))).toEqual([])
  })

  test('when it is rebuilt without cache, then it has the same files with the same times, except for the compiled code of V8', () => {
    const again = 'assay-again:1'
    buildProduct(again, true)
    try {
      const lines = contents(image).split('\n')
      const known = new Set(lines)
      // On failure, shows only some files: all would be thousands of lines.
      const other = contents(again).split('\n')
      expect(other.filter((line) => !known.has(line)).slice(0, 20)).toEqual([])
      expect(other).toHaveLength(lines.length)
    } finally {
      docker('image', 'rm', again)
    }
  })
})
