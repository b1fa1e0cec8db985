import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createS3Artifacts } from './artifacts.ts'

/**
 * A process that stages a folder, prints its path, and waits to be killed. Its first argument contains the adapter's
 * options.
 */
const [, , options = '{}'] = process.argv
const artifacts = await createS3Artifacts({ ...JSON.parse(options), newId: randomUUID, clock: Date })
const stage = await artifacts.stage('t')
await writeFile(join(stage.folder, 'a.txt'), 'half')
process.stdout.write(`${stage.folder}\n`)
setInterval(() => {}, 1000)
