import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { localFile } from './local-file.ts'

const opened = (path?: string) => ({
  open: async (key: string) =>
    key === 't/a/x.bin' ? { sizeBytes: 3, stream: Readable.from(['abc']), path } : undefined,
})

it('given a file on this machine, then its path is returned; given one of another store, then a copy', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-local-'))
  try {
    expect(await localFile(opened('/here/x.bin'), 't/a/x.bin', folder)).toBe('/here/x.bin')
    const copy = join(folder, 'x.bin')
    expect(await localFile(opened(), 't/a/x.bin', folder)).toBe(copy)
    expect(await readFile(copy, 'utf8')).toBe('abc')
    expect(await localFile(opened(), 't/a/gone.bin', folder)).toBeUndefined()
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
