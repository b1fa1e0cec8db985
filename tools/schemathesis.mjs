/**
 * Property-based tests of a running server by its OpenAPI document: schemathesis, from PyPI, in an environment of its own.
 * A tool of tests, never part of the product. Needs `python3` with `venv` on PATH.
 */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { defaultCacheDir } from './servers/mongodb.mjs'

const version = '4.32.5'

/** Runs a command to its end; answers its exit code and what it wrote. */
async function run(command, args, options = {}) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve))
  return { code, output }
}

/** Puts it into `cacheDir` and answers its folder. The folder gets its name only when it is whole. */
export async function install(cacheDir = defaultCacheDir()) {
  const folder = join(cacheDir, `schemathesis-${version}`)
  if (existsSync(folder)) return folder
  await mkdir(cacheDir, { recursive: true })
  const work = await mkdtemp(join(cacheDir, 'schemathesis-installing-'))
  try {
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', `schemathesis==${version}`]
    for (const [command, args] of [
      ['python3', ['-m', 'venv', join(work, 'venv')]],
      [join(work, 'venv', 'bin', 'python'), pip],
    ]) {
      const { code, output } = await run(command, args)
      if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}: ${output.slice(-4000)}`)
    }
    await rename(join(work, 'venv'), folder).catch((error) => {
      if (!existsSync(folder)) throw error
    })
  } finally {
    await rm(work, { recursive: true, force: true })
  }
  return folder
}

/** 501 is documented: what it answers is what Assay does not do, and says so. Other 5xx are faults. */
const settings = `[checks.not_a_server_error]
expected-statuses = ["2xx", "3xx", "4xx", "501"]
`

/**
 * Runs checks on the server at `baseUrl`, whose OpenAPI document stands in the file `document`: all but
 * `positive_data_acceptance` (it cannot know SQL, cron and regular expressions) and `ignored_auth` (so many wrong keys are
 * answered 429, where it wants 401; the suite of permissions has this). `phases`: also `coverage` and `stateful`, which
 * take many minutes. `more`: further arguments. Answers exit code and output.
 */
export async function check({
  document,
  baseUrl,
  admin,
  folder,
  examples = 3,
  phases = 'examples,fuzzing',
  more = [],
  cacheDir,
}) {
  const python = join(await install(cacheDir), 'bin', 'python')
  const args = ['-c', 'from schemathesis.cli import schemathesis; schemathesis()', 'run', document]
  const options = {
    '--url': baseUrl,
    '--checks': 'all',
    '--exclude-checks': 'positive_data_acceptance,ignored_auth',
    '--max-examples': String(examples),
    '--phases': phases,
    '--generation-database': 'none',
    '--seed': '1',
    '--request-timeout': '60',
    '--suppress-health-check': 'all',
    '--warnings': 'off',
  }
  await writeFile(join(folder, 'schemathesis.toml'), settings)
  const headers = [`accessKey: ${admin.accessKey}`, `secretKey: ${admin.secretKey}`].flatMap((header) => ['-H', header])
  return run(python, [...args, ...Object.entries(options).flat(), '--no-color', '--no-shrink', ...headers, ...more], {
    // It looks for a configuration file here, and leaves files behind.
    cwd: folder,
    env: { ...process.env, HOME: folder, PYTHONUTF8: '1', COLUMNS: '200' },
  })
}
