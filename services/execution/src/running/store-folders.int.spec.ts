import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Artifacts } from '@assay/artifacts'
import { createFilesystemArtifacts } from '@assay/artifacts/filesystem'
import { AssayError } from '@assay/service-kit/errors'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { storeFolders } from './store-folders.ts'

let root: string
let from: string
let artifacts: Artifacts
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'assay-results-'))
  artifacts = createFilesystemArtifacts({ root: join(root, 'results'), newId: randomUUID })
  from = join(root, 'engine')
  await engineWrote('first')
})
afterEach(() => rm(root, { recursive: true, force: true }))

const engineWrote = async (text: string) => {
  await mkdir(join(from, 'bad'), { recursive: true })
  await writeFile(join(from, 'bad', 'part-0.csv'), text)
}
const folders = [
  { key: 't/run/BAD', files: [{ name: 'part-0.csv', from: 'bad/part-0.csv' }] },
  { key: 't/run/SUMMARY', files: [{ name: 'part-0.json', text: '{}' }] },
]
const store = (to: Artifacts = artifacts) => storeFolders({ artifacts: to, tenant: 't', from, folders })
const keys = async () => (await artifacts.list('t')).map(({ key }) => key).sort()

describe('the results of a run', () => {
  it('are stored below their keys', async () => {
    await store()
    expect(await keys()).toEqual(['t/run/BAD/part-0.csv', 't/run/SUMMARY/part-0.json'])
    expect(await artifacts.readText('t/run/BAD/part-0.csv')).toBe('first')
  })
  it('replace the results of an earlier attempt', async () => {
    await store()
    await engineWrote('second')
    await store()
    expect(await artifacts.readText('t/run/BAD/part-0.csv')).toBe('second')
  })
  it('are removed if not all of them could be stored', async () => {
    let commits = 0
    const full: Artifacts = {
      ...artifacts,
      stage: async (tenant) => {
        const stage = await artifacts.stage(tenant)
        const commit = async (key: string) => {
          commits += 1
          if (commits === 2) throw new AssayError('unavailable', 'The disk is full.')
          await stage.commit(key)
        }
        return { ...stage, commit }
      },
    }
    await expect(store(full)).rejects.toThrow('The disk is full.')
    expect(await keys()).toEqual([])
  })
  it('that cannot be written cause an error without a path', async () => {
    await rm(from, { recursive: true })
    await expect(store()).rejects.toMatchObject({
      code: 'unavailable',
      message: 'The results could not be written to the result folder.',
    })
    expect(await keys()).toEqual([])
  })
})
