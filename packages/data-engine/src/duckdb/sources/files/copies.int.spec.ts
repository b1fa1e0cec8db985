import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { mountDataset } from '../dispatch.ts'
import { type Fixture, openFixture } from '../fixture.ts'
import { createCopies } from './copies.ts'

let fixture: Fixture
beforeEach(async () => {
  fixture = await openFixture()
})
afterEach(() => fixture.close())

/** A file that cannot be read directly, because a field is missing. */
const ragged = 'a,b\n1,x\n2\n'
const withBom = '\ufeff{"a":1,"b":"x"}\n{"a":2}\n'
const rows = [
  ['1', 'x'],
  ['2', null],
]

async function tableOf(name: string, content: string | Uint8Array) {
  await writeFile(join(fixture.folder, name), content)
  const [table] = await fixture.tables({ sourceType: 'FILE', path: join(fixture.folder, name) })
  if (table === undefined) throw new Error('the file was not found')
  return table
}

describe('given files that are read through copies', () => {
  it.each([
    ['csv', ragged],
    ['ndjson', withBom],
  ])('when their names have the maximum length (%s) then they are read', async (ending, content) => {
    const name = `${'n'.repeat(255 - ending.length - 1)}.${ending}`
    const mounted = await fixture.mount(await tableOf(name, content))
    await fixture.lockDown(mounted)
    expect(await fixture.cells(mounted)).toEqual(rows)
  })

  it('when two files with the same name are read together then each has its own rows', async () => {
    const first = await tableOf('one.csv', ragged)
    const one = await fixture.mount(first)
    await writeFile(join(fixture.folder, 'one.csv'), 'a,b\n3,y\n4\n')
    const other = await fixture.mount(first)
    expect(await fixture.cells(one)).toEqual(rows)
    expect(await fixture.cells(other)).toEqual([
      ['3', 'y'],
      ['4', null],
    ])
  })

  it.each([
    ['big.csv', `${ragged}${'1,some words\n'.repeat(200_000)}`],
    ['big.csv.gz', gzipSync(`${ragged}${'1,some words\n'.repeat(200_000)}`)],
    ['big.ndjson', `${withBom}${'{"a":1,"b":"some words"}\n'.repeat(100_000)}`],
    ['big.ndjson.gz', gzipSync(`${withBom}${'{"a":1,"b":"some words"}\n'.repeat(100_000)}`)],
  ])(
    'when %s needs more temporary space than the limit then the error says so and leaves no partial file',
    async (name, content) => {
      const { locator } = await tableOf(name, content)
      const copies = createCopies(fixture.context.tempFolder, 1)
      await expect(mountDataset({ ...fixture.context, copies }, locator)).rejects.toMatchObject({
        code: 'too-large',
        message: `${name} cannot be read as it is, and a copy needs more than the 1 MB of temporary space. Raise the limit, or write the file again as clean UTF-8.`,
      })
      expect(await readdir(join(fixture.context.tempFolder, 'copies'))).toEqual([])
      expect(copies.leftMb()).toBe(1)
    },
  )

  it.each([
    ['one.csv', ragged],
    ['one.ndjson', withBom],
  ])('when %s has been crawled then its copy is gone', async (name, content) => {
    await tableOf(name, content)
    expect(await readdir(join(fixture.context.tempFolder, 'copies'))).toEqual([])
  })
})
