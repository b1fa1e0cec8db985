/**
 * Property-based tests of a running server against its OpenAPI document by schemathesis, which is installed from PyPI.
 * Only for tests. Needs `python3` with `venv` on PATH.
 */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { defaultCacheDir, pythonWith } from './servers/install.mjs'

const version = '4.32.5'

/** Runs a command to its end; returns its exit code and output. */
async function run(command, args, options = {}) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve))
  return { code, output }
}

/** Installs schemathesis into `cacheDir` and returns its folder. */
export const install = (cacheDir = defaultCacheDir()) =>
  pythonWith(join(cacheDir, `schemathesis-${version}`), `schemathesis==${version}`)

/**
 * 501 is documented for operations that Assay does not support; other 5xx are faults. 413 refuses large bodies before they
 * are validated. No generated security parameters, because a random `Authorization` would make nearly all answers 401.
 * Only links of the document, because hardly any of the thousands of inferred links exists. Chains send only valid
 * requests; the other phases also send invalid ones.
 */
const settings = (scenarios) => `[checks.not_a_server_error]
expected-statuses = ["2xx", "3xx", "4xx", "501"]
[checks.negative_data_rejection]
expected-statuses = ["400", "401", "403", "404", "405", "406", "409", "413", "415", "422", "428", "429", "501"]
[generation]
with-security-parameters = false
[phases.stateful]
inference.algorithms = []
link-calibration = false
generation.mode = "positive"
generation.max-examples = ${scenarios}
`

const hooks = fileURLToPath(new URL('./schemathesis_hooks.py', import.meta.url))

/**
 * Runs all checks except `positive_data_acceptance` (which cannot know SQL, cron and regular expressions) on the server at
 * `baseUrl`. `document`: the file of its OpenAPI document. `examples`: cases per operation in the fuzzing phase. `share`:
 * the coverage phase sends one of `share` cases, chosen by operation. `scenarios`: chains of calls along the document's
 * links in each of the `rounds`; each round has another seed. Schemathesis ends a round early if the server answers a
 * repeated call differently; more rounds follow then, at most four times `rounds`. `except`: a regular expression of paths
 * that only chains call. `more`: further arguments. Returns the exit code, the output, the number of chains, and the number of answers by `<phase> <status>`.
 */
export async function check({
  document,
  baseUrl,
  admin,
  folder,
  examples = 2,
  share = 12,
  scenarios = 60,
  rounds = 3,
  phases = 'examples,coverage,fuzzing,stateful',
  except,
  more = [],
  cacheDir,
}) {
  const chosenOf = (list) => list.filter((phase) => phases.split(',').includes(phase)).join(',')
  const python = join(await install(cacheDir), 'bin', 'python')
  const args = ['-c', 'from schemathesis.cli import schemathesis; schemathesis()', 'run', document]
  const options = {
    '--url': baseUrl,
    '--checks': 'all',
    '--max-examples': String(examples),
    '--generation-database': 'none',
    '--request-timeout': '60',
    '--suppress-health-check': 'all',
    '--warnings': 'off',
  }
  const statusesFile = join(folder, 'statuses.json')
  await writeFile(join(folder, 'schemathesis.toml'), settings(scenarios))
  const headers = [`accessKey: ${admin.accessKey}`, `secretKey: ${admin.secretKey}`].flatMap((header) => ['-H', header])
  const all = { code: 0, output: '', chains: 0, statuses: {} }
  async function runPart(part, seed) {
    const given = [
      ...Object.entries({ ...options, '--phases': part, '--seed': String(seed) }).flat(),
      '--exclude-checks',
      // Chains send only valid requests, but on a slow machine the check sometimes reports one as invalid.
      `positive_data_acceptance${part === 'stateful' ? ',negative_data_rejection' : ''}`,
      ...(except === undefined || part === 'stateful' ? [] : ['--exclude-path-regex', except]),
      '--no-color',
      '--no-shrink',
      ...headers,
    ]
    const { code, output: written } = await run(python, [...args, ...given, ...more], {
      // Schemathesis reads its configuration file here, and leaves files behind.
      cwd: folder,
      env: {
        ...process.env,
        HOME: folder,
        PYTHONUTF8: '1',
        PYTHONDONTWRITEBYTECODE: '1',
        COLUMNS: '200',
        SCHEMATHESIS_HOOKS: hooks,
        ASSAY_RUN: String(seed),
        ASSAY_ACCESS_KEY: admin.accessKey,
        ASSAY_COVERAGE_SHARE: String(share),
        ASSAY_STATUSES_FILE: statusesFile,
      },
    })
    // Schemathesis ignores NO_COLOR if FORCE_COLOR is set, even to 0.
    const output = stripVTControlCharacters(written)
    all.code ||= code ?? 1
    all.output += output
    all.chains += Number(/^ *Scenarios: +(\d+)$/m.exec(output)?.[1] ?? 0)
    const statuses = existsSync(statusesFile) ? JSON.parse(await readFile(statusesFile, 'utf8')) : {}
    for (const [name, count] of Object.entries(statuses)) all.statuses[name] = (all.statuses[name] ?? 0) + count
    await rm(statusesFile, { force: true })
  }
  // First, because the other phases delete the objects that chains start with.
  if (chosenOf(['stateful']) !== '')
    for (let seed = 1; seed <= 4 * rounds && all.code === 0 && all.chains < rounds * scenarios; seed += 1)
      await runPart('stateful', seed)
  const others = chosenOf(['examples', 'coverage', 'fuzzing'])
  if (others !== '') await runPart(others, 1)
  return all
}
