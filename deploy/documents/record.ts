import { writeFileSync } from 'node:fs'
import { kindOf } from '../../packages/reliability/src/index.ts'
import { recordExamples } from '../../packages/testkit/src/examples/index.ts'

/** One line per example, so that a change of one changes one line. */
function write(name: string, examples: Record<string, unknown>): void {
  const lines = Object.entries(examples).map(([id, example]) => `${JSON.stringify(id)}: ${JSON.stringify(example)}`)
  writeFileSync(
    new URL(`../../packages/contracts/src/examples/${name}.json`, import.meta.url),
    `{\n${lines.join(',\n')}\n}\n`,
  )
  process.stdout.write(`Recorded ${lines.length} examples in ${name}.json.\n`)
}

const { operations, events } = await recordExamples((type) => kindOf(type).storesRows !== undefined)
write('recorded', operations)
write('events', events)
