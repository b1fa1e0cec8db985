import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type CheckoutCopy, copyCheckout } from './checkout.ts'
import { sabotages } from './list.ts'
import type { Sabotage } from './sabotage.ts'
import { type Verdict, verdictOf } from './verdict.ts'

/**
 * Breaks a copy of the checkout by one sabotage at a time, runs the test that must find it, and prints a table. The
 * arguments are names of sabotages, or parts of them; none: all. Exits with 1 if one of them was not found.
 */
const root = fileURLToPath(new URL('../../../..', import.meta.url))
const wanted = process.argv.slice(2)
const chosen = sabotages.filter(({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)))
if (chosen.length === 0) {
  process.stderr.write(
    `No sabotage matches the arguments. Known sabotages:\n${sabotages.map(({ name }) => `  ${name}`).join('\n')}\n`,
  )
  process.exit(1)
}

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

/** The projects of vitest.config.ts that may contain the file. */
const projectsOf = (spec: string) =>
  ['faults', /\.(\w+)\.spec\.ts$/.exec(spec)?.[1] ?? ''].flatMap((name) => ['--project', name])

/** Runs the test in the copy; resolves when the run has ended, whatever its result. */
function runTest(copy: CheckoutCopy, { spec, test }: Sabotage, output: string): Promise<string> {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const args = [
    'run',
    ...projectsOf(spec),
    spec,
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${output}`,
  ]
  if (test !== undefined) args.push('-t', escaped(test))
  const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0', NODE_COMPILE_CACHE: join(copy.root, '.compiled') }
  const child = spawn(process.execPath, [vitest, ...args], { cwd: copy.root, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  const take = (chunk: Buffer) => {
    text += chunk.toString()
  }
  child.stdout.on('data', take)
  child.stderr.on('data', take)
  const stop = () => child.kill('SIGTERM')
  process.once('SIGINT', stop).once('SIGTERM', stop)
  return new Promise((resolve) =>
    child.once('exit', () => {
      process.off('SIGINT', stop).off('SIGTERM', stop)
      resolve(text)
    }),
  )
}

/** The folder for the output of tests that did not find their sabotage. */
const outputs = join(tmpdir(), 'assay-not-red')

async function verdictFor(copy: CheckoutCopy, sabotage: Sabotage): Promise<Verdict> {
  const undo = copy.apply(sabotage)
  const report = join(copy.root, `red-${sabotages.indexOf(sabotage)}.json`)
  try {
    const text = await runTest(copy, sabotage, report)
    const verdict = existsSync(report)
      ? verdictOf(JSON.parse(readFileSync(report, 'utf8')), sabotage)
      : { isRed: false, line: 'vitest wrote no report' }
    if (verdict.isRed) return verdict
    mkdirSync(outputs, { recursive: true })
    const kept = join(outputs, `${sabotage.name}.txt`)
    writeFileSync(kept, text)
    return { isRed: false, line: `${verdict.line}; its output: ${kept}` }
  } finally {
    undo()
  }
}

/** A text as a table cell. */
const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

const copy = copyCheckout(root)
let seen = 0
let notRed = 0
let isStopped = false
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    isStopped = true
  })
try {
  process.stdout.write('| sabotage | test | | first message |\n|---|---|---|---|\n')
  for (const sabotage of chosen) {
    const began = performance.now()
    const { isRed, line } = await verdictFor(copy, sabotage)
    if (isStopped) break
    seen += 1
    if (!isRed) notRed += 1
    const seconds = Math.round((performance.now() - began) / 1000)
    const verdict = `${isRed ? 'red' : 'NOT RED'} after ${seconds} s`
    process.stdout.write(`| ${[sabotage.name, sabotage.spec, verdict, line].map(cell).join(' | ')} |\n`)
  }
} finally {
  copy.remove()
}
process.stdout.write(`${seen} of ${chosen.length} sabotages were tried, ${notRed} of them not found\n`)
process.exit(notRed === 0 && !isStopped ? 0 : 1)
