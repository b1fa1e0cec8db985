import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Discovered } from '../dataset.ts'
import type { DataEngine } from '../port.ts'
import { createDuckDbEngine } from './engine.ts'

let folder: string
let engine: DataEngine
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-poison-'))
  engine = createDuckDbEngine({ memoryMb: 256, threads: 1, clock: Date })
})
afterAll(async () => {
  await engine.close()
  await rm(folder, { recursive: true, force: true })
})

it('given files that exhaust the memory of their process or crash it, when crawled, then only these files fail', async () => {
  const columns = Array.from({ length: 20_000 }, (_, index) => `c${index}`)
  const files = {
    'a.csv': 'a\n1\n',
    'brackets.json.gz': gzipSync(Buffer.alloc(200_000_000, '[')),
    'brackets.ndjson.gz': gzipSync(Buffer.alloc(200_000_000, '[')),
    'm.csv': 'a\n1\n',
    'wide.csv': `${columns}\n${columns}\n`,
    'z.csv': 'a\n1\n',
  }
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content)
  const found: Discovered[] = []
  for await (const one of engine.discover(
    { sourceType: 'FILE', path: folder },
    { signal: AbortSignal.timeout(60_000) },
  ))
    found.push(one)
  expect(found.flatMap((one) => (one.kind === 'table' ? [one.name] : []))).toEqual(['a.csv', 'm.csv', 'z.csv'])
  expect(found.flatMap((one) => (one.kind === 'failed' ? [one.path] : []))).toEqual([
    'brackets.json.gz',
    'brackets.ndjson.gz',
    'wide.csv',
  ])
})
