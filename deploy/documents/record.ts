import { writeFileSync } from 'node:fs'
import { recordExamples } from '../../packages/testkit/src/examples/index.ts'

const examples = Object.entries(await recordExamples())
// One line per example, so that a change of one changes one line.
const lines = examples.map(([id, example]) => `${JSON.stringify(id)}: ${JSON.stringify(example)}`)
const path = new URL('../../packages/contracts/src/examples/recorded.json', import.meta.url)
writeFileSync(path, `{\n${lines.join(',\n')}\n}\n`)
process.stdout.write(`Recorded ${lines.length} examples.\n`)
