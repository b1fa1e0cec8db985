import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'

/** The arguments of `go install`, by the name of the program. */
export const pinned = {
  helm: 'helm.sh/helm/v3/cmd/helm@v3.18.6',
  'kubectl-validate': 'sigs.k8s.io/kubectl-validate@v0.0.4',
}

/** The folder of the programs; its name contains their versions. */
export const toolsDir = join(
  process.env.ASSAY_DEPLOY_TOOLS_DIR ?? join(homedir(), '.cache', 'assay-deploy'),
  'helm-3.18.6-validate-0.0.4',
)

const env = { ...process.env, PATH: [toolsDir, process.env.PATH ?? ''].join(delimiter), NO_COLOR: '1' }

export interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

/** Runs a program. Throws if it cannot be started. */
export function run(command: string, args: readonly string[], more: Readonly<Record<string, string>> = {}): Ended {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    env: { ...env, ...more },
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  if (error) throw new Error(`${command} could not be started: ${error.message}`)
  return { code: status, stdout, stderr }
}

/** The path of a program in `toolsDir`; only its name if it is on the PATH. */
export const program = (name: string): string => {
  const path = join(toolsDir, name)
  return existsSync(path) ? path : name
}

export const isThere = (command: string): boolean =>
  spawnSync(command, ['--help'], { env, stdio: 'ignore' }).error === undefined
