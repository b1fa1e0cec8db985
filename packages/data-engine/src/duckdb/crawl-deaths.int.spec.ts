import { type ChildProcess, fork } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Discovered, Source } from '../dataset.ts'
import { spawnEngineChild } from './child-process.ts'
import { createDuckDbEngine } from './engine.ts'

describe('a crawl whose processes die', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'assay-deaths-'))
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  /** A process that exits as soon as it opens `name`. */
  const dying = async (name: string) => {
    const script = path.join(folder, `${name}.cjs`)
    const reading = JSON.stringify({ kind: 'reading', path: name, withinMs: 60_000 })
    await writeFile(script, `process.on('message', () => process.send(${reading}, () => process.exit(1)))`)
    return () => fork(script, [], { execArgv: [], serialization: 'advanced' })
  }

  async function crawled(spawnChild: () => ChildProcess, clock: { now(): number } = Date) {
    const engine = createDuckDbEngine({ memoryMb: 200, threads: 1, clock, spawnChild })
    const found: Discovered[] = []
    try {
      const source: Source = { sourceType: 'FILE', path: folder, include: ['*.csv'] }
      for await (const one of engine.discover(source, { signal: AbortSignal.timeout(60_000) })) found.push(one)
      return { found, error: undefined }
    } catch (error) {
      return { found, error }
    } finally {
      await engine.close()
    }
  }

  it('given a file that kills its process and is then removed, then the crawl fails, because it cannot know where to continue', async () => {
    for (const name of ['a.csv', 'z.csv']) await writeFile(path.join(folder, name), 'a\n1\n')
    const first = await dying('m.csv')
    let spawned = 0
    const { found, error } = await crawled(() => {
      spawned += 1
      return spawned === 1 ? first() : spawnEngineChild(folder, { memoryMb: 200, threads: 1 })
    })
    expect(found).toContainEqual(expect.objectContaining({ kind: 'failed', path: 'm.csv' }))
    expect(error).toMatchObject({
      code: 'unprocessable',
      message: expect.stringMatching(/^m\.csv crashed .* moved or removed/),
    })
  })

  /** The real child, with an engine that breaks down at the first statement that names `name`, as DuckDB does. */
  const breaking = async (name: string) => {
    const script = path.join(folder, 'breaking.mjs')
    const main = path.join(import.meta.dirname, 'child', 'main.ts')
    const lines = [
      `import { createRequire } from 'node:module'`,
      `const { DuckDBConnection: { prototype } } = createRequire(${JSON.stringify(main)})('@duckdb/node-api')`,
      `const gone = 'FATAL Error: Failed: database has been invalidated because of a previous fatal error.'`,
      'let isBroken = false',
      `for (const method of ['run', 'stream', 'prepare', 'runAndReadAll', 'extractStatements']) {`,
      '  const real = prototype[method]',
      '  prototype[method] = async function (...given) {',
      '    if (isBroken) throw new Error(gone)',
      `    isBroken = String(given[0]).includes(${JSON.stringify(name)})`,
      `    if (isBroken) throw new Error('INTERNAL Error: Attempted to access index 4 within vector of size 4')`,
      '    return real.apply(this, given)',
      '  }',
      '}',
      `await import(${JSON.stringify(main)})`,
    ]
    await writeFile(script, lines.join('\n'))
    return () => fork(script, [], { execArgv: [], serialization: 'advanced', cwd: folder })
  }

  it('given a file at which the engine breaks down, then only that file fails, and another process reads the other files', async () => {
    for (const name of ['a.csv', 'm.csv', 'y.csv', 'z.csv']) await writeFile(path.join(folder, name), 'a\n1\n')
    const { found, error } = await crawled(await breaking('m.csv'))
    expect(error).toBeUndefined()
    expect(found.flatMap((one) => (one.kind === 'table' ? [one.name] : []))).toEqual(['a.csv', 'y.csv', 'z.csv'])
    expect(found.flatMap((one) => (one.kind === 'failed' ? [one.path] : []))).toEqual(['m.csv'])
  })

  it('given processes that die one after the other, then the crawl fails after twenty', async () => {
    const { found, error } = await crawled(await dying('m.csv'))
    expect(found).toHaveLength(19)
    expect(error).toMatchObject({
      code: 'unprocessable',
      message: expect.stringMatching(/^20 tables or files .* m\.csv/),
    })
  }, 30_000)

  it('given processes that die late, then all of them share the deadline of the crawl', async () => {
    let now = 0
    const child = await dying('m.csv')
    const { found, error } = await crawled(
      () => {
        now += 11 * 60_000
        return child()
      },
      { now: () => now },
    )
    expect(found.length).toBeLessThan(4)
    expect(error).toMatchObject({ code: 'timeout', message: expect.stringContaining('30 minutes') })
  })
})
