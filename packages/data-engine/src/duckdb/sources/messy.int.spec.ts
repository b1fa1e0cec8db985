import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Fixture, openFixture } from './fixture.ts'

let fixture: Fixture
beforeEach(async () => {
  fixture = await openFixture()
})
afterEach(() => fixture.close())

/** Typical files of a team's folder. */
const messy: Readonly<Record<string, string | Uint8Array>> = {
  'bom.csv': '\ufeffid,name\n1,x\n',
  'budget.xlsx': 'PK',
  'corrupt.parquet': 'PAR1xxxx',
  'empty.csv': '',
  'european.csv': 'id;price;day\n1;1.234,50;31.12.2025\n2;0,5;01.02.2026\n',
  'events.avro': 'Obj',
  'latin.csv': Buffer.from('name,city\nMüller,Köln\n', 'latin1'),
  'nested.json': '[{"a":{"b":[1,2]}}]',
  'old.orc': 'ORC',
  'packed.csv.gz': gzipSync('a\n1\n'),
  'quoted.csv': 'a,b\n"x\ny",1\n',
  'ragged.csv': `a,b\n1,2\n${'3\n'.repeat(99)}`,
  'semicolons.csv': 'a;b\n1;2\n',
  'sub/lines.ndjson': '{"x":1}\n{"x":2}\n',
  'sub/readme.txt': 'hello',
}

it('given a messy folder, when it is crawled, then each file is a table with its types, or listed with the reason', async () => {
  for (const [name, content] of Object.entries(messy)) {
    await mkdir(dirname(join(fixture.folder, name)), { recursive: true })
    await writeFile(join(fixture.folder, name), content)
  }
  const csv = { decimalSeparator: ',', dateFormat: 'dd.MM.yyyy' } as const
  const files = [{ pattern: 'european.csv', csv }]
  const found = await fixture.discover({ sourceType: 'FILE', path: fixture.folder, files })
  const tables = found.flatMap((one) => (one.kind === 'table' ? [one] : []))
  expect(
    tables.map(({ name, columns, rowCount, warnings }) => [
      name,
      columns.map(({ dataType }) => dataType.replace(/ .*/, '')).join(),
      rowCount,
      warnings.total,
    ]),
  ).toEqual([
    ['bom.csv', 'BIGINT,VARCHAR', 1, 0],
    ['european.csv', 'BIGINT,DOUBLE,DATE', 2, 0],
    ['latin.csv', 'VARCHAR,VARCHAR', 1, 1],
    ['nested.json', expect.stringContaining('STRUCT'), 1, 0],
    ['packed.csv.gz', 'BIGINT', 1, 0],
    ['quoted.csv', 'VARCHAR,BIGINT', 1, 0],
    ['ragged.csv', 'BIGINT,BIGINT', 100, 99],
    ['semicolons.csv', 'BIGINT,BIGINT', 1, 0],
    ['lines.ndjson', 'BIGINT', 2, 0],
  ])
  const paths = found.flatMap((one) => (one.kind === 'failed' ? [one.path] : []))
  expect(paths).toEqual(['corrupt.parquet', 'empty.csv'])
  const skipped = found.find((one) => one.kind === 'skipped')
  expect(skipped?.first.map(({ path, message }) => `${path}: ${message.split('.')[0]}`).slice(0, 3)).toEqual([
    'budget.xlsx: Excel is not read',
    'events.avro: Avro is not read',
    'old.orc: ORC is not read',
  ])
  expect(skipped?.total).toBe(4)
})
