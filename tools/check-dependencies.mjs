// Runs dependency-cruiser over the workspace and fails on a forbidden dependency. Also fails if it read too few files,
// because with a parser that it does not know, it reads none and would pass.
import { readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { cruise } from 'dependency-cruiser'

const require = createRequire(import.meta.url)
const rules = require('../.dependency-cruiser.cjs')
const sources = ['packages', 'services', 'bench'].flatMap((top) =>
  top === 'bench' ? ['bench/src'] : readdirSync(top).map((name) => join(top, name, 'src')),
)
const { output } = await cruise(sources, {
  ...rules.options,
  ruleSet: { forbidden: rules.forbidden },
  validate: true,
  outputType: 'json',
})
const report = JSON.parse(output)
if (report.summary.totalCruised < 50) {
  process.stderr.write(
    `The check of dependencies read only ${report.summary.totalCruised} files. There must be more.\n`,
  )
  process.exit(1)
}
for (const { rule, from, to } of report.summary.violations)
  process.stderr.write(`${rule.severity} ${rule.name}: ${from} -> ${to}\n`)
process.stdout.write(
  `Dependencies: ${report.summary.totalCruised} files, ${report.summary.violations.length} violations.\n`,
)
process.exit(report.summary.error > 0 ? 1 : 0)
