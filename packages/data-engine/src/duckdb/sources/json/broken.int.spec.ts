import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Fixture, openFixture } from '../fixture.ts'

let fixture: Fixture
beforeEach(async () => {
  fixture = await openFixture()
})
afterEach(() => fixture.close())

async function crawled(name: string, text: string | Uint8Array) {
  const path = join(fixture.folder, name)
  await writeFile(path, text)
  return fixture.discover({ sourceType: 'FILE', path })
}

describe('given JSON with an error in it', () => {
  it.each([
    ['the first line', 'a.ndjson', '{"a":1 x}\n{"a":2}\n', 1],
    ['the third line', 'a.ndjson', '{"a":1}\n{"a":2}\n{"a":3 x}\n{"a":4}\n', 3],
    ['the second element', 'a.json', '[\n{"a":1},\n{"a":2 x},\n{"a":3}]', 2],
  ])('when it is in %s then the error names that record', async (_, name, text, record) => {
    expect(await crawled(name, text)).toContainEqual({
      kind: 'failed',
      path: name,
      message: expect.stringContaining(` of record ${record}:`),
    })
  })
})

describe('given lines of JSON with a comma before a closing bracket', () => {
  it('when they are crawled then a warning names each, but not commas within text', async () => {
    const found = await crawled('a.ndjson', '{"a":"x,}"}\n{"a":"größe",}\n\n{"a":"y, ]"}\n{"a":"z", }')
    const message = expect.stringContaining('it has a trailing comma')
    expect(found).toContainEqual(
      expect.objectContaining({
        kind: 'table',
        rowCount: 4,
        warnings: {
          total: 2,
          first: [
            { line: 2, message },
            { line: 5, message },
          ],
        },
      }),
    )
  })
})

describe('given a small compressed file with a value that is very large', () => {
  it('when it is crawled then the error says so', async () => {
    const value = Buffer.alloc(34 << 20, 'x').toString()
    expect(await crawled('a.ndjson.gz', gzipSync(`{"a":"${value}"}\n`))).toContainEqual({
      kind: 'failed',
      path: 'a.ndjson.gz',
      message: expect.stringContaining('has a JSON value that is too large'),
    })
  })
})
