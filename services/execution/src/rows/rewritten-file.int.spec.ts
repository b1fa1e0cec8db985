import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { createFilesystemArtifacts } from '@assay/artifacts/filesystem'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { rewrittenFile } from './rewritten-file.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-rewritten-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Rows at `path`, rewritten by an engine that copies them. Reading the stream fails. */
async function rewritten(path: string | undefined) {
  const artifacts = createFilesystemArtifacts({ root: join(folder, 'results'), newId: () => crypto.randomUUID() })
  const stream = new Readable({ read: () => stream.destroy(new Error('The stored file was read as a stream.')) })
  const engine = {
    async rewrite({ file }: { file: string }, { outputFile }: { outputFile: string }) {
      await copyFile(file, outputFile)
      return null
    },
  }
  const request = { tenant: 't', from: 'CSV', to: 'JSON', mask: null, signal: new AbortController().signal } as const
  return rewrittenFile({ artifacts, engine }, { ...request, source: { stream, path } })
}

it('given stored rows on this machine, when the rows are rewritten, then no copy is made first', async () => {
  const path = join(folder, 'rows.csv')
  writeFileSync(path, 'id\n1\n')
  const { stream } = await rewritten(path)
  expect(await text(stream)).toBe('id\n1\n')
})

it('given rows in a remote store, when they are rewritten, then their stream is read', async () => {
  await expect(rewritten(undefined)).rejects.toThrow('was read as a stream')
  await expect(rewritten(join(folder, 'gone.csv'))).rejects.toThrow('was read as a stream')
})
