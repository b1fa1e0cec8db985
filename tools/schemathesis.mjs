/**
 * Property-based tests of a running server by its OpenAPI document: schemathesis, from PyPI, in an environment of its own.
 * A tool of tests, never part of the product. Needs `python3` with `venv` on PATH.
 */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { defaultCacheDir, pythonWith } from './servers/install.mjs'

const version = '4.32.5'

/** Runs a command to its end; answers its exit code and what it wrote. */
async function run(command, args, options = {}) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve))
  return { code, output }
}

/** Puts it into `cacheDir` and answers its folder. */
export const install = (cacheDir = defaultCacheDir()) =>
  pythonWith(join(cacheDir, `schemathesis-${version}`), `schemathesis==${version}`)

/**
 * 501 is documented: what it answers is what Assay does not do, and says so; other 5xx are faults. 413 refuses what is too
 * large before it is looked at. The key pair stays the one that is given: with security parameters, a made-up
 * `Authorization` would go along, and nearly all would be 401. Links are those of the document: those that would be
 * inferred are thousands, of which hardly any is one. Chains are of what is right; the other phases send what is not.
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
 * Runs all checks but `positive_data_acceptance` (it cannot know SQL, cron and regular expressions) on the server at
 * `baseUrl`, whose OpenAPI document stands in the file `document`. `examples`: per operation in the phase of fuzzing.
 * `share`: one case of so many in the phase of coverage, others in each operation. `scenarios`: chains of calls along the
 * document's links in each of so many `rounds`, of which each begins differently; it ends a round where something is not
 * as it was when it began the same way before, and then there are more rounds, four times as many at most. `more`:
 * further arguments. Answers exit code, output, how many chains there were, and how often which status was answered, by
 * `<phase> <status>`.
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
  more = [],
  cacheDir,
}) {
  const cutOff = (list) => list.filter((phase) => phases.split(',').includes(phase)).join(',')
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
      // Chains send only what is right, but on a slow machine a step of them is now and then held to be wrong.
      `positive_data_acceptance${part === 'stateful' ? ',negative_data_rejection' : ''}`,
      '--no-color',
      '--no-shrink',
      ...headers,
    ]
    const { code, output: written } = await run(python, [...args, ...given, ...more], {
      // It looks for a configuration file here, and leaves files behind.
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
    // It writes bold letters in spite of NO_COLOR where FORCE_COLOR is set, be it to 0.
    const output = stripVTControlCharacters(written)
    all.code ||= code ?? 1
    all.output += output
    all.chains += Number(/^ *Scenarios: +(\d+)$/m.exec(output)?.[1] ?? 0)
    const statuses = existsSync(statusesFile) ? JSON.parse(await readFile(statusesFile, 'utf8')) : {}
    for (const [name, count] of Object.entries(statuses)) all.statuses[name] = (all.statuses[name] ?? 0) + count
    await rm(statusesFile, { force: true })
  }
  // First, because the other phases delete what chains begin with.
  if (cutOff(['stateful']) !== '')
    for (let seed = 1; seed <= 4 * rounds && all.code === 0 && all.chains < rounds * scenarios; seed += 1)
      await runPart('stateful', seed)
  const others = cutOff(['examples', 'coverage', 'fuzzing'])
  if (others !== '') await runPart(others, 1)
  return all
}
