import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Fixture, openFixture } from '../fixture.ts'

let fixture: Fixture
beforeEach(async () => {
  fixture = await openFixture()
})
afterEach(() => fixture.close())

async function put(name: string, content: Uint8Array): Promise<void> {
  const path = join(fixture.folder, name)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, content)
}

const list = '\ufeff[{"id":1,"n":"größe"},{"id":2}]'
const lines = '\ufeff{"id":1,"n":"größe"}\n{"id":2}\n'
const utf8 = (text: string) => Buffer.from(text, 'utf8')
const littleEndian = (text: string) => Buffer.from(text, 'utf16le')
const bigEndian = (text: string) => littleEndian(text).swap16()
const rows = [
  ['1', 'größe'],
  ['2', null],
]

describe('given JSON that begins with a byte order mark', () => {
  it.each<[string, Uint8Array]>([
    ['list.json', utf8(list)],
    ['lines.ndjson', utf8(lines)],
    ['list16.json', littleEndian(list)],
    ['lines16.ndjson', littleEndian(lines)],
    ['list16be.json', bigEndian(list)],
    ['packed.json.gz', gzipSync(utf8(list))],
    ['packed16.ndjson.gz', gzipSync(littleEndian(lines))],
  ])('%s: when it is crawled and read then each record is a row', async (name, content) => {
    await put(name, content)

    const found = await fixture.discover({ sourceType: 'FILE', path: fixture.folder })
    expect(found.filter((one) => one.kind === 'failed')).toEqual([])
    const table = found.find((one) => one.kind === 'table')
    if (table === undefined) throw new Error('the file was not found')
    expect(table.columns.map((column) => column.name)).toEqual(['id', 'n'])
    expect(table.rowCount).toBe(2)

    const mounted = await fixture.mount(table)
    await fixture.lockDown(mounted)
    expect(await fixture.cells(mounted)).toEqual(rows)
  })

  it('when only some partitions of a table begin with one then all rows are read', async () => {
    await put('in/day=1/a.json', utf8(list))
    await put('in/day=2/a.json', utf8('[{"id":3,"n":"x"}]'))

    const [table] = await fixture.tables({ sourceType: 'FILE', path: fixture.folder })
    if (table === undefined) throw new Error('the folder was not found')
    const mounted = await fixture.mount(table)
    await fixture.lockDown(mounted)
    const cells = await fixture.cells(mounted)
    expect(cells.toSorted()).toEqual([
      ['1', 'größe', '1'],
      ['2', null, '1'],
      ['3', 'x', '2'],
    ])
  })

  it('when a file holds nothing else then the file is reported as empty', async () => {
    await put('bom.json', utf8('\ufeff'))
    expect(await fixture.discover({ sourceType: 'FILE', path: fixture.folder })).toContainEqual({
      kind: 'failed',
      path: 'bom.json',
      message: 'bom.json is empty: it has no JSON value.',
    })
  })
})
