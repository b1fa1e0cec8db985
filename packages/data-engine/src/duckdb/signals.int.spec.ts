import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { spawnEngineChild } from './child-process.ts'
import type { FromChild, ToChild } from './protocol.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'assay-signals-'))
  await mkdir(path.join(folder, 'data'))
  await writeFile(path.join(folder, 'data', 'mine.csv'), 'a,b\n1,x\n')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

describe('given a child of the engine', () => {
  // Ctrl-C in a terminal reaches every process of the group, and a service manager may signal all of them together.
  it('when it gets signals to stop then it continues, because only its parent ends it', async () => {
    const child = spawnEngineChild(folder, { memoryMb: 256, threads: 1 })
    const ended = new Promise<string>((resolve) => child.once('exit', (_, signal) => resolve(`ended by ${signal}`)))
    const heard = (kind: FromChild['kind']) =>
      new Promise<string>((resolve) => {
        child.on('message', (message: FromChild) => message.kind === kind && resolve(kind))
      })
    const answered = heard('done')
    expect(await Promise.race([heard('ready'), ended])).toBe('ready')
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) child.kill(signal)
    const work: ToChild = {
      kind: 'run',
      work: { kind: 'probe', source: { sourceType: 'FILE', path: path.join(folder, 'data') } },
      limits: { memoryMb: 256, threads: 1, maxTempMb: 256 },
      tempFolder: folder,
      startedAt: 0,
      isLast: true,
    }
    // Sending to an exited process throws.
    child.send(work, () => undefined)
    expect(await Promise.race([answered, ended])).toBe('done')
    await ended
  })
})
