import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { install as installKafka } from '../../tools/servers/kafka.mjs'
import { cacheDir, docker, hasImage, image, read, root, show } from './docker.ts'

const bookworm = 'assay-local/bookworm:1'
const localNode = 'assay-local/node:24.21.0'
const certificates = process.env.NODE_EXTRA_CA_CERTS ?? '/etc/ssl/certs/ca-certificates.crt'
const npmVersion = '11.6.2'

/**
 * Builds the image of a folder with the classic builder, which every engine has. `--network host` is for registries behind a
 * proxy.
 */
function build(tag: string, context: string, args: readonly string[]): void {
  process.stderr.write(`Building ${tag} ...\n`)
  const all = ['build', '--network', 'host', '--tag', tag, ...args, context]
  show('docker', all, { env: { ...process.env, DOCKER_BUILDKIT: '0' } })
}

/** Builds a Debian image from Debian's packages, which requires root. */
function makeBookworm(): void {
  if (hasImage(bookworm)) return
  const folder = join(cacheDir, 'rootfs')
  if (!existsSync(join(folder, 'bin/sh'))) {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(cacheDir, { recursive: true })
    show('debootstrap', ['--variant=minbase', '--include=ca-certificates', 'bookworm', folder])
  }
  show('sh', ['-c', `tar -C '${folder}' --exclude=./dev -c . | docker import - ${bookworm}`])
}

/** Builds the image of a folder of `images/`, with the files that `more` adds. */
function buildOf(name: string, tag: string, args: readonly string[], more: (folder: string) => void): void {
  if (hasImage(tag)) return
  const folder = mkdtempSync(join(tmpdir(), `assay-image-${name}-`))
  try {
    cpSync(new URL(`./images/${name}/`, import.meta.url), folder, { recursive: true })
    more(folder)
    build(tag, folder, args)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The base of the Dockerfile: the published image, or a locally built one. */
function baseImage(): string {
  const [, published = ''] = /^ARG BASE=(.*)$/m.exec(readFileSync(join(root, 'deploy/docker/Dockerfile'), 'utf8')) ?? []
  if (
    hasImage(published) ||
    spawnSync('docker', ['pull', published], { stdio: 'ignore', timeout: 120_000 }).status === 0
  )
    return published
  makeBookworm()
  buildOf('node', localNode, ['--build-arg', `BOOKWORM=${bookworm}`], (folder) => {
    cpSync(realpathSync(process.execPath), join(folder, 'node'))
    cpSync(certificates, join(folder, 'ca-certificates.crt'))
    show('npm', ['install', '--prefix', folder, '--ignore-scripts', '--no-save', `npm@${npmVersion}`])
    cpSync(join(folder, 'node_modules/npm'), join(folder, 'npm'), { recursive: true })
    rmSync(join(folder, 'node_modules'), { recursive: true })
  })
  return localNode
}

/** Builds the image of the product from this checkout. `fresh`: without cached layers. */
export function buildProduct(tag = image, fresh = false): void {
  const revision = read('git', ['-C', root, 'describe', '--always', '--dirty', '--abbrev=40', '--exclude=*'])
  const given = [`BASE=${baseImage()}`, `REVISION=${revision}`].flatMap((each) => ['--build-arg', each])
  const args = ['--file', join(root, 'deploy/docker/Dockerfile'), ...given]
  build(tag, root, fresh ? [...args, '--no-cache'] : args)
}

/** Builds the servers that replace the published ones in `compose.local.yaml` and in test clusters. */
export async function buildServers(): Promise<void> {
  makeBookworm()
  const jars = await installKafka()
  const args = ['--build-arg', `BOOKWORM=${bookworm}`]
  buildOf('kafka', 'assay-local/kafka:4.3.1', args, (folder) => cpSync(jars, join(folder, 'libs'), { recursive: true }))
  buildOf('secantusdb', 'assay-local/secantusdb:0.7.0', args, (folder) =>
    cpSync(certificates, join(folder, 'ca-certificates.crt')),
  )
  const events = 'assay-local/events:1.0.0'
  if (hasImage(events)) docker('image', 'rm', '--force', events)
  buildOf('events', events, ['--build-arg', `ASSAY=${image}`], (folder) => {
    cpSync(join(root, 'packages/event-store/src/testing'), join(folder, 'testing'), { recursive: true })
    cpSync(join(root, 'tools/servers/ports.mjs'), join(folder, 'ports.mjs'))
  })
}
