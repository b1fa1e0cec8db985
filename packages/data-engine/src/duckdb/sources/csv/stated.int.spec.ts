import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Source } from '../../../dataset.ts'
import { type Fixture, openFixture } from '../fixture.ts'

let fixture: Fixture
beforeEach(async () => {
  fixture = await openFixture()
})
afterEach(() => fixture.close())

async function read(content: string | Uint8Array, more: Partial<Extract<Source, { sourceType: 'FILE' }>> = {}) {
  await writeFile(join(fixture.folder, 'a.csv'), content)
  const [table] = await fixture.tables({ sourceType: 'FILE', path: fixture.folder, ...more })
  if (table === undefined) throw new Error('nothing was found')
  const mounted = await fixture.mount(table)
  const types = table.columns.map(({ name, dataType }) => `${name} ${dataType}`)
  return { types, warnings: table.warnings, cells: await fixture.cells(mounted) }
}

const european =
  'id;price;whole;day;at;code;version\n1;1.234,50;1.000;31.12.2025;31.12.2025 23:59;007;1.2\n2;-0,5;7;01.02.2026;01.02.2026 00:01;010;1.10\n'
const formats = { decimalSeparator: ',', dateFormat: 'dd.MM.yyyy', timestampFormat: '%d.%m.%Y %H:%M' } as const

describe('given files in other formats than the engine expects', () => {
  it('when the options state the formats of numbers and dates, then columns have their types, also in an unchanged file', async () => {
    expect(await read(european, { csv: formats })).toMatchObject({
      types: [
        'id BIGINT',
        'price DOUBLE',
        'whole BIGINT',
        'day DATE',
        'at TIMESTAMP',
        'code VARCHAR',
        'version VARCHAR',
      ],
      cells: [
        ['1', '1234.5', '1000', '2025-12-31', '2025-12-31 23:59:00', '007', '1.2'],
        ['2', '-0.5', '7', '2026-02-01', '2026-02-01 00:01:00', '010', '1.10'],
      ],
    })
  })

  it('when several patterns set options, then the most specific one wins for each option', async () => {
    const csv = { ...formats, decimalSeparator: '.', delimiter: '|' } as const
    const files = [
      { pattern: '*.csv', csv: { delimiter: ';' } },
      { pattern: 'a.csv', csv: { decimalSeparator: ',' as const } },
      { pattern: 'b.csv', csv: { delimiter: '\t' } },
    ]
    expect((await read(european, { csv, files })).types.slice(0, 4)).toEqual([
      'id BIGINT',
      'price DOUBLE',
      'whole BIGINT',
      'day DATE',
    ])
  })

  it('when dates have digits only, then a column with another number stays a number', async () => {
    const { types } = await read('day,id\n20260131,20261301\n20260201,20260201\n', { csv: { dateFormat: 'yyyyMMdd' } })
    expect(types).toEqual(['day DATE', 'id BIGINT'])
  })

  it('when a file is windows-1252 instead of UTF-8, then it is read as windows-1252, with a warning', async () => {
    const text = Buffer.concat([Buffer.from('name,näme\nx,y\nMüller,', 'latin1'), Buffer.from([0x80, 0x0a])])
    const { types, cells, warnings } = await read(text)
    expect([types, cells]).toEqual([
      ['name VARCHAR', 'näme VARCHAR'],
      [
        ['x', 'y'],
        ['Müller', '€'],
      ],
    ])
    expect(warnings).toEqual({
      total: 1,
      first: [{ line: 1, message: 'the file is not UTF-8 and was read as windows-1252' }],
    })
  })

  it('when a file is neither, or declared as UTF-8, then invalid bytes become U+FFFD', async () => {
    const odd = Buffer.concat([Buffer.from('a\nx'), Buffer.from([0x81, 0x0a])])
    const latin = Buffer.from('a\nxü\n', 'latin1')
    expect((await read(odd)).cells).toEqual([['x\ufffd']])
    expect((await read(latin, { csv: { encoding: 'utf-8' } })).cells).toEqual([['x\ufffd']])
  })
})
