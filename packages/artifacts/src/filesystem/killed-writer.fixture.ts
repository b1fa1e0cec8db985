import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createFilesystemArtifacts } from './artifacts.ts'

/** A process that stages a folder below the root in its first argument, prints its path, and waits to be killed. */
const [, , root = ''] = process.argv
const stage = await createFilesystemArtifacts({ root, newId: randomUUID }).stage('t')
await writeFile(join(stage.folder, 'a.txt'), 'half')
process.stdout.write(`${stage.folder}\n`)
setInterval(() => {}, 1000)
