import { type ChildProcess, type SpawnSyncOptions, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { services } from '../native/topology.ts'
import { copyContext, stepsOf } from './context.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const steps = stepsOf(readFileSync(join(root, 'deploy/docker/Dockerfile'), 'utf8'))
const isRoot = process.getuid?.() === 0
/** The user of the image, if this process may switch users. */
const user = isRoot ? { uid: 1000, gid: 1000 } : {}
let folder: string
let context: string
let app: string
let compiled: string
const running: ChildProcess[] = []

const withNode = { PATH: [dirname(process.execPath), process.env.PATH].join(delimiter), CI: 'true' }

/** Runs the commands of a stage of the Dockerfile, with folders of this test instead of those of the image. */
function runSteps(
  stage: string,
  cwd: string,
  folders: Readonly<Record<string, string>>,
  as: SpawnSyncOptions = {},
): void {
  for (const step of steps.get(stage) ?? []) {
    const text = Object.entries(folders).reduce((command, [of, here]) => command.replaceAll(of, here), step)
    const env = { ...process.env, ...as.env, ...withNode }
    const { status, stderr, stdout } = spawnSync('sh', ['-c', text], { cwd, ...as, env, encoding: 'utf8' })
    expect({ step: text, status, output: status === 0 ? '' : stdout + stderr }).toMatchObject({ status: 0, output: '' })
  }
}

/** Makes a folder read-only, like the file system of the image. If this process is root, other users cannot write anyway. */
function makeReadOnly(path: string): void {
  if (isRoot) return
  for (const entry of readdirSync(path, { withFileTypes: true, recursive: true }))
    if (entry.isDirectory()) chmodSync(join(entry.parentPath, entry.name), 0o555)
  chmodSync(path, 0o555)
}

const environment = (more: Record<string, string> = {}) => ({
  NODE_ENV: 'production',
  NODE_COMPILE_CACHE: compiled,
  HOME: join(folder, 'tmp'),
  TMPDIR: join(folder, 'tmp'),
  ...more,
})

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-image-'))
  chmodSync(folder, 0o755)
  const made = (name: string) => {
    const path = join(folder, name)
    mkdirSync(path)
    return path
  }
  context = made('context')
  app = made('app')
  const manifests = made('manifests')
  copyContext(root, context)
  runSteps('manifests', context, { 'mkdir /manifests': 'true', '/manifests': manifests })
  cpSync(manifests, app, { recursive: true })
  runSteps('dependencies', app, {})
  for (const name of ['packages', 'services']) cpSync(join(context, name), join(app, name), { recursive: true })
  for (const name of ['tmp', 'data', 'compiling']) {
    const path = made(name)
    if (isRoot) chownSync(path, 1000, 1000)
  }
  const script = join(context, 'deploy/docker/compile.mjs')
  compiled = join(folder, 'compiled')
  const folders = { '/tmp/compiled': join(folder, 'compiling', 'cache'), '/compile.mjs': script }
  runSteps('compiled', app, folders, { ...user, env: environment() })
  cpSync(join(folder, 'compiling', 'cache'), compiled, { recursive: true })
  for (const path of [app, compiled]) makeReadOnly(path)
}, 300_000)
afterAll(() => {
  for (const child of running) child.kill('SIGKILL')
  if (folder) spawnSync('chmod', ['-R', 'u+w', folder])
  if (folder) rmSync(folder, { recursive: true, force: true })
})

describe("given the result of the Dockerfile's steps", () => {
  test('then it contains no test, no secret and no second Node', () => {
    const files = globSync('{packages,services}/*/src/**/*.ts', { cwd: app })
    expect(files).toContain('services/gateway/src/main.ts')
    expect(files.filter((file) => /\.(spec|fixture|features)\.ts$|\/testing\//.test(file))).toEqual([])
    expect(['docs', 'deploy', '.env', '.git'].filter((name) => existsSync(join(app, name)))).toEqual([])
    expect(existsSync(join(app, 'node_modules/.bin/node'))).toBe(false)
  })

  test.each(services)(
    'when %s starts without variables, then it loads completely and names the missing variables',
    (service) => {
      const main = `services/${service}/src/main.ts`
      const { status, stderr } = spawnSync(process.execPath, [main], {
        cwd: app,
        env: environment(),
        encoding: 'utf8',
        ...user,
      })
      expect([status, stderr]).toEqual([78, expect.stringContaining('ASSAY_IDENTITY_SECRET')])
    },
  )

  test('when it starts as its user, on a read-only file system, then it works, using the compiled code', async () => {
    const child = spawn(process.execPath, ['services/standalone/src/main.ts'], {
      cwd: app,
      env: environment({
        PORT: '0',
        ASSAY_DATA_DIR: join(folder, 'data'),
        ASSAY_SAMPLES: 'off',
        NODE_DEBUG_NATIVE: 'COMPILE_CACHE',
      }),
      stdio: ['ignore', 'pipe', 'pipe'],
      ...user,
    })
    running.push(child)
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
    const ended = once(child, 'exit')
    const url = await new Promise<string>((resolve, reject) => {
      child.stdout.on('data', () => {
        const [found] = /http:\/\/[\d.]+:\d+/.exec(output) ?? []
        if (found) resolve(found)
      })
      void ended.then(() => reject(new Error(output)))
    })
    expect((await fetch(`${url}/readyz`)).status).toBe(200)
    child.kill('SIGTERM')
    const [code] = await ended
    expect(code).toBe(0)
    const ofServices = output.split('\n').filter((line) => line.includes('services/') && line.includes('reading cache'))
    expect(ofServices.length).toBeGreaterThan(50)
    expect(ofServices.filter((line) => !line.includes('success') && !line.includes('main.ts'))).toEqual([])
  })
})
