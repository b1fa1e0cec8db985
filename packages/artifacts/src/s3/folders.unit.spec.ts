import { Readable } from 'node:stream'
import { isAssayError } from '@assay/service-kit/errors'
import { describe, expect, it } from 'vitest'
import type { Bucket } from './client.ts'
import { createFolders } from './folders.ts'

const dayMs = 24 * 60 * 60 * 1000
const files = ['a.parquet', 'd/b.parquet', 'preview.json'].map((name) => ({ name, path: `/${name}`, sizeBytes: 1 }))

/** A write fails before it takes effect, or takes effect and its answer is lost. */
type Way = 'before' | 'after'

/** A bucket in memory whose nth write can fail. With `isGone`, all later writes fail, too. */
function bucketInMemory({ isSentTwice = false } = {}) {
  const objects = new Map<string, { text: string; etag: string; changedAt: number }>()
  let failing: { at: number; way: Way; isGone: boolean } | undefined
  let writes = 0
  let etags = 0
  let now = 0
  function write<T>(work: () => T): T {
    const number = writes++
    if (failing === undefined || number < failing.at || (number > failing.at && !failing.isGone)) return work()
    if (number === failing.at && failing.way === 'after') work()
    throw new Error('the bucket has failed')
  }
  const put = (key: string, text: string) => {
    objects.set(key, { text, etag: String(etags++), changedAt: now })
    return true
  }
  const bucket: Bucket = {
    async check() {},
    putFile: async (key, path) => void write(() => put(key, path)),
    putText: async (key, text) => void write(() => put(key, text)),
    putNewText: async (key, text) => write(() => !objects.has(key) && put(key, text) && !isSentTwice),
    replaceText: async (key, text, etag) => write(() => objects.get(key)?.etag === etag && put(key, text)),
    getText: async (key) => objects.get(key),
    open: async (key) => {
      const object = objects.get(key)
      return object && Readable.from([object.text])
    },
    list: async (prefix) =>
      [...objects].filter(([key]) => key.startsWith(prefix)).map(([key, { changedAt }]) => ({ key, changedAt })),
    remove: async (keys) =>
      write(() => {
        for (const key of keys) objects.delete(key)
      }),
  }
  const folders = createFolders({ bucket, prefix: 'p/', staleAfterMs: dayMs, now: () => now })
  return {
    folders,
    keys: () => [...objects.keys()].toSorted(),
    failAt(at: number, way: Way, isGone: boolean) {
      failing = { at: writes + at, way, isGone }
    },
    recover() {
      failing = undefined
    },
    later(ms: number) {
      now += ms
    },
    writes: () => writes,
  }
}

type TestBucket = ReturnType<typeof bucketInMemory>

/** The names of the files at `t/run`; `undefined` for a file that cannot be read. */
async function seen({ folders }: TestBucket): Promise<(string | undefined)[]> {
  const found = await folders.from('t/run')
  return Promise.all(
    found.flatMap((folder) =>
      folder.manifest.files.map(async ({ name }) =>
        (await folders.readFile(folder, name)) === `/${name}` ? name : undefined,
      ),
    ),
  )
}

/** For each write of `work`, calls `check` after a failure of that write, in each way. */
async function everyFailure(
  prepare: (bucket: TestBucket) => Promise<void>,
  work: (bucket: TestBucket) => Promise<void>,
  check: (bucket: TestBucket, outcome: unknown) => Promise<void>,
): Promise<number> {
  const dry = bucketInMemory()
  await prepare(dry)
  const before = dry.writes()
  await work(dry)
  const count = dry.writes() - before
  for (let at = 0; at < count; at++)
    for (const way of ['before', 'after'] as const)
      for (const isGone of [true, false]) {
        const bucket = bucketInMemory()
        await prepare(bucket)
        bucket.failAt(at, way, isGone)
        const outcome = await work(bucket).catch((error: unknown) => error)
        bucket.recover()
        await check(bucket, outcome)
      }
  return count
}

const commit = ({ folders }: TestBucket) => folders.commit('t/run', 'id-1', files)
const names = files.map(({ name }) => name)
const isWholeOrNone = async (bucket: TestBucket) => expect([[], names]).toContainEqual(await seen(bucket))
const manifestKey = 'p/manifests/t/run/!manifest.json'
const wholeKeys = [...names.map((name) => `p/files/t/run/!id-1/${name}`), manifestKey].toSorted()

describe('folders in a bucket', () => {
  it('given a commit, then its objects belong to the tenant, and no pending note is left', async () => {
    const bucket = bucketInMemory()
    await commit(bucket)
    expect(bucket.keys()).toEqual(wholeKeys)
    await bucket.folders.remove('t/run')
    expect(bucket.keys()).toEqual([])
  })

  it('given a commit, when any of its writes fails, then readers see all of it or nothing, and a sweep leaves nothing else', async () => {
    const count = await everyFailure(
      async () => undefined,
      commit,
      async (bucket, outcome) => {
        await isWholeOrNone(bucket)
        const before = await seen(bucket)
        if (outcome === undefined) expect(before).toEqual(names)
        bucket.later(2 * dayMs)
        await bucket.folders.sweep()
        expect(await seen(bucket)).toEqual(before)
        expect(bucket.keys()).toEqual(before.length === 0 ? [] : wholeKeys)
      },
    )
    expect(count).toBe(6)
  })

  it('given a removal, when any of its writes fails, then readers see all of it or nothing, and a sweep leaves nothing else', async () => {
    await everyFailure(
      commit,
      ({ folders }) => folders.remove('t/run'),
      async (bucket) => {
        await isWholeOrNone(bucket)
        const before = await seen(bucket)
        bucket.later(2 * dayMs)
        await bucket.folders.sweep()
        expect(await seen(bucket)).toEqual(before)
        expect(bucket.keys()).toEqual(before.length === 0 ? [] : wholeKeys)
      },
    )
  })

  it('given a removal of one file, when any of its writes fails, then the other files do not change', async () => {
    await everyFailure(
      commit,
      ({ folders }) => folders.remove('t/run/d'),
      async (bucket) => {
        const rest = names.filter((name) => name !== 'd/b.parquet')
        expect([rest, names]).toContainEqual(await seen(bucket))
        const before = await seen(bucket)
        bucket.later(2 * dayMs)
        await bucket.folders.sweep()
        expect(await seen(bucket)).toEqual(before)
        expect(bucket.keys()).toHaveLength(before.length + 1)
      },
    )
  })

  it('given an upload in progress, when swept, then its objects stay', async () => {
    const bucket = bucketInMemory()
    bucket.failAt(4, 'before', true)
    await expect(commit(bucket)).rejects.toThrow('failed')
    bucket.recover()
    const before = bucket.keys()
    bucket.later(dayMs - 1)
    await bucket.folders.sweep()
    expect(bucket.keys()).toEqual(before)
  })

  it('given a manifest that is sent twice because its answer was lost, then the commit succeeds', async () => {
    const bucket = bucketInMemory({ isSentTwice: true })
    await commit(bucket)
    expect(await seen(bucket)).toEqual(names)
    expect(bucket.keys()).toEqual(wholeKeys)
    const again = await bucket.folders.commit('t/run', 'id-2', files).catch((error: unknown) => error)
    expect(isAssayError(again, 'taken')).toBe(true)
    expect(bucket.keys()).toEqual(wholeKeys)
  })

  it('given a key that is too long for the store, when committed to, then the commit is refused before any write', async () => {
    const bucket = bucketInMemory()
    await expect(bucket.folders.commit(`t/${'a/'.repeat(505)}b`, 'id-1', files)).rejects.toMatchObject({
      code: 'invalid',
    })
    expect(bucket.keys()).toEqual([])
  })
})
