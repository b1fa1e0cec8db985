import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { DataEngine } from '../port.ts'
import { createDuckDbEngine } from './engine.ts'

let folder: string
let engine: DataEngine

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-rewrite-'))
  for (const name of ['stored', 'made']) await mkdir(join(folder, name))
  const tempRoot = join(folder, 'temp')
  engine = createDuckDbEngine({ memoryMb: 256, threads: 1, tempRoot, clock: { now: () => Date.now() } })
})
afterAll(async () => {
  await engine.close()
  await rm(folder, { recursive: true, force: true })
})

it('given JSON lines with texts that look like times, then every text stays as it was written', async () => {
  const row = { clock: '12:30', at: '2024-01-01 10:00:00', code: '007', huge: '9007199254740993', name: 'ann' }
  const inner = { 'a DATE': '2024-01-01 10:00:00', list: ['12:30'] }
  const rows = [
    { ...row, inner, __rule_item_ids: [1] },
    { ...row, inner, __rule_item_ids: [1, 2] },
  ]
  const file = join(folder, 'stored', 'rows.json')
  await writeFile(file, rows.map((one) => `${JSON.stringify(one)}\n`).join(''))
  const outputFile = join(folder, 'made', 'rows.json')
  const request = { file, from: 'JSON' as const, to: 'JSON' as const, maskText: '***' }
  const options = { outputFile, signal: new AbortController().signal }
  await engine.rewrite({ ...request, mask: { columns: ['name'], nested: false } }, options)
  const lines = (await readFile(outputFile, 'utf8')).trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line))).toEqual(rows.map((one) => ({ ...one, name: '***' })))
})

it('given CSV, then a column whose header stands behind a quote is masked as well, and an empty text is no null', async () => {
  const file = join(folder, 'stored', 'rows.csv')
  await writeFile(file, `"'@pin",a,b,__rule_item_ids\n'-5,"",,[1]\n`)
  const outputFile = join(folder, 'made', 'rows.json')
  const request = { file, from: 'CSV' as const, to: 'JSON' as const, maskText: '***' }
  const options = { outputFile, signal: new AbortController().signal }
  await engine.rewrite({ ...request, mask: { columns: ['@pin'], nested: false } }, options)
  const text = await readFile(outputFile, 'utf8')
  expect(JSON.parse(text)).toEqual({ "'@pin": '***', a: '', b: null, __rule_item_ids: '[1]' })
})
