import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PageOfItem, RowOrder } from '../port.ts'
import { createEngineInProcess } from '../testing/engine-in-process.ts'
import type { DuckDbEngine } from './engine.ts'

let folder: string
let engine: DuckDbEngine

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-rewrite-'))
  for (const name of ['stored', 'made']) await mkdir(join(folder, name))
  const tempRoot = join(folder, 'temp')
  engine = createEngineInProcess({ tempRoot })
})
afterAll(async () => {
  await engine.close()
  await rm(folder, { recursive: true, force: true })
})

it('given JSON lines with texts that look like times, then every text stays unchanged', async () => {
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

describe('given JSON lines with numbers, some of them as text', () => {
  const row = { whole: -5, list: [-1, 2], big: -9, real: -1.5, any: '-x', deep: 1, __rule_item_ids: [1] }
  const other = { big: '9007199254740993', real: 'NaN', any: 7, deep: { a: -1 }, __rule_item_ids: [1] }
  const rows = [row, { whole: 200, list: [3], ...other }]
  const rewritten = async (from: 'JSON' | 'PARQUET', to: 'JSON' | 'PARQUET' | 'CSV') => {
    const file = join(folder, 'stored', `signs.${from}`)
    const outputFile = join(folder, 'made', `signs.${to}`)
    const options = { outputFile, signal: new AbortController().signal }
    await engine.rewrite({ file, from, to, maskText: '***', mask: null }, options)
    return outputFile
  }
  const linesOf = async (file: string) => (await readFile(file, 'utf8')).trimEnd().split('\n')
  beforeAll(() =>
    writeFile(join(folder, 'stored', 'signs.JSON'), rows.map((one) => `${JSON.stringify(one)}\n`).join('')),
  )

  it('when rewritten as CSV, then each value is unchanged', async () => {
    const lines = await linesOf(await rewritten('JSON', 'CSV'))
    expect(lines.slice(1)).toEqual([
      `-5,"[-1, 2]",-9,-1.5,'-x,1,[1]`,
      '200,[3],9007199254740993,nan,7,"{""a"":-1}",[1]',
    ])
  })
  it('when nested values are masked, then a column with some nested values is masked, too', async () => {
    const outputFile = join(folder, 'made', 'masked.CSV')
    const options = { outputFile, signal: new AbortController().signal }
    const file = join(folder, 'stored', 'signs.JSON')
    const mask = { columns: [], nested: true }
    await engine.rewrite({ file, from: 'JSON', to: 'CSV', maskText: '***', mask }, options)
    expect((await linesOf(outputFile))[2]).toBe('200,***,9007199254740993,nan,7,***,[1]')
  })
  it('when rewritten as JSON, then each value is unchanged', async () => {
    const lines = await linesOf(await rewritten('JSON', 'JSON'))
    expect(lines.map((line) => JSON.parse(line))).toEqual(rows)
  })
  it('when rewritten as Parquet, then numbers are numbers, and texts are texts', async () => {
    await rename(await rewritten('JSON', 'PARQUET'), join(folder, 'stored', 'signs.PARQUET'))
    const lines = await linesOf(await rewritten('PARQUET', 'JSON'))
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { ...row, deep: '1' },
      { ...rows[1], any: '7', deep: '{"a":-1}' },
    ])
  })
})

describe('given JSON lines whose columns are hard to type', () => {
  const rewritten = async (rows: object[], to: 'JSON' | 'PARQUET' | 'CSV', mask: { nested: boolean } | null = null) => {
    const file = join(folder, 'stored', 'hard.JSON')
    await writeFile(file, rows.map((one) => `${JSON.stringify(one)}\n`).join(''))
    const outputFile = join(folder, 'made', `hard.${to}`)
    const options = { outputFile, signal: new AbortController().signal }
    const masked = mask && { columns: [], ...mask }
    await engine.rewrite({ file, from: 'JSON', to, maskText: '***', mask: masked }, options)
    return (await readFile(outputFile, 'utf8')).trimEnd().split('\n')
  }
  const asJson = async (rows: object[]) => (await rewritten(rows, 'JSON')).map((line) => JSON.parse(line))

  it('when floating-point numbers are whole and beyond 64 bits, then they are still numbers', async () => {
    const rows = [
      { v: -5, list: [-1], in: { a: 300 } },
      { v: 1e19, list: [1e19, 2], in: { a: -1e20 } },
    ]
    expect(await asJson(rows)).toEqual(rows)
    const lines = await rewritten(
      rows.map(({ v }) => ({ v })),
      'CSV',
    )
    expect(lines).toEqual(['v', '-5.0', '1e+19'])
  })
  it('when texts look nearly like numbers, then they are texts', async () => {
    expect(await rewritten([{ v: '1.2.3' }, { v: 1.5 }], 'CSV')).toEqual(['v', '1.2.3', '1.5'])
    expect(await rewritten([{ v: '007' }, { v: 7 }], 'CSV')).toEqual(['v', '007', '7'])
    expect(await rewritten([{ v: '9007199254740993' }, { v: 'NaN' }], 'CSV')).toEqual(['v', '9007199254740993', 'NaN'])
  })
  it('when a list has numbers and values that JSON cannot represent as numbers, then each is unchanged', async () => {
    const rows = [
      { v: [1, 'NaN'], in: { a: 'NaN' } },
      { v: [2.5], in: { a: 1 } },
    ]
    expect(await asJson(rows)).toEqual(rows)
  })
  it('when nested values are masked, then a column without values is masked, too', async () => {
    expect(await rewritten([{ v: null, w: 1 }], 'CSV', { nested: true })).toEqual(['v,w', '***,1'])
  })
})

it('given CSV, then a column with a quoted header is masked, too, and an empty text is not null', async () => {
  const file = join(folder, 'stored', 'rows.csv')
  await writeFile(file, `"'@pin",a,b,__rule_item_ids\n'-5,"",,[1]\n`)
  const outputFile = join(folder, 'made', 'rows.json')
  const request = { file, from: 'CSV' as const, to: 'JSON' as const, maskText: '***' }
  const options = { outputFile, signal: new AbortController().signal }
  await engine.rewrite({ ...request, mask: { columns: ['@pin'], nested: false } }, options)
  const text = await readFile(outputFile, 'utf8')
  expect(JSON.parse(text)).toEqual({ "'@pin": '***', a: '', b: null, __rule_item_ids: '[1]' })
})

it.each([
  ['id', 'integer', 'asc', [3, 2, 1, 4]],
  ['id', 'integer', 'desc', [4, 1, 2, 3]],
  ['@pin', 'text', 'asc', [2, 1, 4, 3]],
  ['id', 'text', 'asc', [3, 1, 2, 4]],
  ['position', 'text', 'desc', [4, 2, 1, 3]],
  ['position', 'number', 'desc', [4, 2, 1, 3]],
] as const)(
  'given an order by %s as %s %s, then rows are in that order, and equal values in stored order',
  async (column, kind, direction, ids) => {
    const file = join(folder, 'stored', 'ordered.csv')
    await writeFile(file, `"'@pin",id,position,__rule_item_ids\nb,10,1.5,[1]\na,9,'=1,[2]\n,-2,1,[3]\nb,x,,[4]\n`)
    const outputFile = join(folder, 'made', 'ordered.json')
    const request = { file, from: 'CSV' as const, to: 'JSON' as const, maskText: '***', mask: null }
    const options = { outputFile, signal: new AbortController().signal }
    await engine.rewrite({ ...request, order: { column, kind, direction } }, options)
    const lines = (await readFile(outputFile, 'utf8')).trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line).__rule_item_ids)).toEqual(ids.map((id) => `[${id}]`))
    expect(Object.keys(JSON.parse(lines[0] ?? ''))).toEqual(["'@pin", 'id', 'position', '__rule_item_ids'])
  },
)

it('given an order by a masked column, then it reveals nothing about the masked values', async () => {
  const file = join(folder, 'stored', 'hidden.csv')
  await writeFile(file, 'a,__rule_item_ids\n2,[1]\n1,[2]\n')
  const outputFile = join(folder, 'made', 'hidden.json')
  const request = { file, from: 'CSV' as const, to: 'JSON' as const, maskText: '***' }
  const order = { column: 'a', kind: 'integer' as const, direction: 'asc' as const }
  const options = { outputFile, signal: new AbortController().signal }
  await engine.rewrite({ ...request, mask: { columns: ['a'], nested: false }, order }, options)
  const ids = (await readFile(outputFile, 'utf8')).trimEnd().split('\n')
  expect(ids.map((line) => JSON.parse(line).__rule_item_ids)).toEqual(['[1]', '[2]'])
})

describe('a page of the rows of an item', () => {
  const rows = Array.from({ length: 9 }, (_, id) => ({ id, __rule_item_ids: id % 2 === 0 ? [7, 12] : [1, 127] }))
  const lines = rows.map((row) => `${JSON.stringify(row)}\n`).join('')
  const file = (from: string) => join(folder, 'stored', `items.${from}`)
  const options = () => ({ outputFile: join(folder, 'made', 'items'), signal: new AbortController().signal })
  const plain = { maskText: '***', mask: null }
  const page = async (from: 'CSV' | 'JSON' | 'PARQUET', only: PageOfItem, order?: RowOrder) => {
    const count = await engine.rewrite({ file: file(from), from, to: 'JSON', ...plain, order, only }, options())
    const written = (await readFile(options().outputFile, 'utf8')).split('\n').filter((line) => line !== '')
    return { count, ids: written.map((line) => Number(JSON.parse(line).id)) }
  }
  beforeAll(async () => {
    await writeFile(file('JSON'), lines)
    await engine.rewrite({ file: file('JSON'), from: 'JSON', to: 'PARQUET', ...plain }, options())
    await rename(options().outputFile, file('PARQUET'))
    const cells = rows.map(({ id, __rule_item_ids: ids }) => `${id},"[${ids.join(', ')}]"\n`)
    await writeFile(file('CSV'), `id,__rule_item_ids\n${cells.join('')}`)
    await writeFile(file('good'), 'id\n1\n')
  })

  it.each(['CSV', 'JSON', 'PARQUET'] as const)(
    'given rows stored as %s, then only the page is written, and the count covers all rows of the item',
    async (from) => {
      const of = { itemId: 7, size: 2, fromEnd: false }
      expect(await page(from, { ...of, page: 0 })).toEqual({ count: 5, ids: [0, 2] })
      expect(await page(from, { ...of, page: 2 })).toEqual({ count: 5, ids: [8] })
      expect(await page(from, { ...of, page: 3 })).toEqual({ count: 5, ids: [] })
      expect(await page(from, { ...of, page: 1e15, size: 500 })).toEqual({ count: 5, ids: [] })
      expect(await page(from, { ...of, page: 0, size: 0 })).toEqual({ count: 5, ids: [] })
      expect(await page(from, { ...of, page: 0, fromEnd: true })).toEqual({ count: 5, ids: [6, 8] })
      expect(await page(from, { ...of, page: 2, fromEnd: true })).toEqual({ count: 5, ids: [0] })
      expect(await page(from, { ...of, itemId: 2, page: 0 })).toEqual({ count: 0, ids: [] })
      const order = { column: 'id', kind: 'integer', direction: 'desc' } as const
      expect(await page(from, { ...of, page: 1 }, order)).toEqual({ count: 5, ids: [4, 2] })
    },
  )

  it('given rows that failed no item, then the page is empty', async () => {
    const only = { itemId: 7, page: 0, size: 5, fromEnd: false }
    const request = { file: file('good'), from: 'CSV', to: 'JSON', ...plain, only } as const
    expect(await engine.rewrite(request, options())).toBe(0)
  })
})
