import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, type Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { Artifacts } from '@assay/artifacts'
import { createFilesystemArtifacts } from '@assay/artifacts/filesystem'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createLocalCopies, type LocalCopies } from './local-copies.ts'

let folder: string
let artifacts: Artifacts
let fetched: string[]
/** Replaces the stream of each fetched file. */
let endless: Readable | undefined
let copies: LocalCopies
let tick: () => void
const clock = { time: 0, now: () => clock.time }

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'local-copies-'))
  fetched = []
  endless = undefined
  const here = createFilesystemArtifacts({ root: folder, newId: randomUUID })
  artifacts = {
    ...here,
    /** Behaves like a remote store. */
    async open(key) {
      const opened = await here.open(key)
      fetched.push(key)
      if (endless) opened?.stream.destroy()
      return opened && { sizeBytes: opened.sizeBytes, stream: endless ?? opened.stream }
    },
  }
  const every = (_: number, work: () => void) => {
    tick = work
    return { stop: () => undefined }
  }
  copies = createLocalCopies({ artifacts, clock, timers: { every }, maxBytes: 10 })
  copies.start()
})
afterEach(async () => {
  await copies.stop()
  await rm(folder, { recursive: true })
})

async function stored(key: string, content: string) {
  const stage = await artifacts.stage('t')
  await writeFile(join(stage.folder, 'rows'), content)
  await stage.commit(key)
}
async function contentOf(key: string) {
  const opened = await copies.open('t', `${key}/rows`)
  return opened && text(opened.stream)
}
const staged = async () => (await readdir(join(folder, '.staging')).catch(() => [])).length

it('given a file of a remote store, when it is opened again and concurrently, then it is fetched once', async () => {
  await stored('t/a', 'abc')
  expect(await contentOf('t/a')).toBe('abc')
  expect(await Promise.all(['t/a', 't/a'].map(contentOf))).toEqual(['abc', 'abc'])
  expect(fetched).toEqual(['t/a/rows'])
})

it('given more bytes than the limit, then the least recently used copy is removed, and large files are not copied', async () => {
  await stored('t/a', '12345')
  await stored('t/b', '12345')
  await stored('t/c', '12345')
  await stored('t/large', '12345678901')
  for (const key of ['t/a', 't/b', 't/a', 't/c', 't/a', 't/large', 't/large', 't/b']) await contentOf(key)
  expect(fetched.map((key) => key.split('/')[1])).toEqual(['a', 'b', 'c', 'large', 'large', 'b'])
  await expect.poll(staged).toBe(2)
})

it('given a removed file, or an unused copy, then the copy is removed', async () => {
  await stored('t/a', 'abc')
  await stored('t/b', 'abc')
  await contentOf('t/a')
  await contentOf('t/b')
  await artifacts.remove('t/a')
  expect(await contentOf('t/a')).toBeUndefined()
  await expect.poll(staged).toBe(1)
  clock.time += 5 * 60_000
  tick()
  await expect.poll(staged).toBe(0)
})

it('given a download that does not end, when the copies stop, then it is aborted and its folder removed', async () => {
  await stored('t/a', 'abc')
  endless = new PassThrough()
  const opening = expect(contentOf('t/a')).rejects.toMatchObject({ code: 'ABORT_ERR' })
  await expect.poll(staged).toBe(1)
  await copies.stop()
  await opening
  expect(await staged()).toBe(0)
  expect(endless.destroyed).toBe(true)
})
