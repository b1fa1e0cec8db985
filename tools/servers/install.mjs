/** Installs test tools once, into a cache folder outside of this project. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'

export const defaultCacheDir = () => process.env.ASSAY_SERVERS_DIR ?? join(homedir(), '.cache', 'assay-servers')

/** Runs a command and returns its output; throws with the end of the output if it fails. */
export async function run(command, args, options = {}) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text = (text + chunk).slice(-4000)))
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve))
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}: ${text}`)
  return text
}

/**
 * Creates `folder` and returns it; does nothing if it exists. Safe for two concurrent runs, because the folder is
 * renamed into place when it is complete. `make` gets a folder to work in, next to it, and returns the one to rename.
 */
export async function installed(folder, make) {
  if (existsSync(folder)) return folder
  await mkdir(dirname(folder), { recursive: true })
  const work = await mkdtemp(join(dirname(folder), `${basename(folder)}-installing-`))
  try {
    await rename(await make(work), folder).catch((error) => {
      if (!existsSync(folder)) throw error
    })
  } finally {
    await rm(work, { recursive: true, force: true })
  }
  return folder
}

/** A Python environment with one package. (Scripts of a moved environment name its old folder; its `python` works.) */
export const pythonWith = (folder, requirement) =>
  installed(folder, async (work) => {
    const environment = join(work, 'venv')
    await run('python3', ['-m', 'venv', environment])
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', requirement]
    await run(join(environment, 'bin', 'python'), pip)
    return environment
  })
