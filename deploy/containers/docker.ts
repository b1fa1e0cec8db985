import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../', import.meta.url))
/** Cache for base images and the compose plugin, which are built once. */
export const cacheDir = process.env.ASSAY_CONTAINERS_DIR ?? join(homedir(), '.cache', 'assay-containers')

/** The image of the product, as docker-compose.yml and the chart name it. */
export const image = 'assay:0.1.0'

/** Runs a program and shows its output. Throws if it fails. */
export function show(
  command: string,
  args: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
) {
  const { status, error } = spawnSync(command, args, { stdio: ['ignore', 2, 2], ...options })
  if (error) throw new Error(`${command} could not be started: ${error.message}`)
  if (status !== 0)
    throw new Error(`${command} ${args.slice(0, 3).join(' ')} ended with ${status}: see the lines above.`)
}

/** The output of a program, without the last line break. Throws with its error output if it fails. */
export function read(command: string, args: readonly string[]): string {
  const { status, error, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 })
  if (error) throw new Error(`${command} could not be started: ${error.message}`)
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}: ${stderr}`)
  return stdout.trimEnd()
}

export const docker = (...args: string[]) => read('docker', args)
export const hasImage = (name: string) =>
  spawnSync('docker', ['image', 'inspect', name], { stdio: 'ignore' }).status === 0

const plugin = join(cacheDir, 'bin', 'docker-compose')
/** The command for compose files: the plugin of Docker, or the one that `compose-plugin.ts` has built. */
export function composeCommand(): [string, ...string[]] {
  if (spawnSync('docker', ['compose', 'version'], { stdio: 'ignore' }).status === 0) return ['docker', 'compose']
  if (existsSync(plugin)) return [plugin]
  throw new Error('There is no `docker compose` here. Install the plugin, or Go, which builds it.')
}
