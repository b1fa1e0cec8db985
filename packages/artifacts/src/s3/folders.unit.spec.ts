import { Readable } from 'node:stream'
import { isAssayError } from '@assay/service-kit/errors'
import { describe, expect, it } from 'vitest'
import type { Bucket } from './client.ts'
import { createFolders } from './folders.ts'

const dayMs = 24 * 60 * 60 * 1000
const files = ['a.parquet', 'd/b.parquet', 'preview.json'].map((name) => ({ name, path: `/${name}`, sizeBytes: 1 }))

/** When a write fails: before it took effect, or after, with its answer lost. */
type Way = 'before' | 'after'

/** A bucket in memory, whose nth write fails. With `isGone`, all later ones fail too. */
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
    mend() {
      failing = undefined
    },
    later(ms: number) {
      now += ms
    },
    writes: () => writes,
  }
}

type World = ReturnType<typeof bucketInMemory>

/** What a reader finds at `t/run`: names of files; `undefined` if one of them cannot be read. */
async function seen({ folders }: World): Promise<(string | undefined)[]> {
  const found = await folders.from('t/run')
  return Promise.all(
    found.flatMap((folder) =>
      folder.manifest.files.map(async ({ name }) =>
        (await folders.readFile(folder, name)) === `/${name}` ? name : undefined,
      ),
    ),
  )
}

/** Calls `check` for each write of `work`, failed in each way. */
async function everyFailure(
  prepare: (world: World) => Promise<void>,
  work: (world: World) => Promise<void>,
  check: (world: World, outcome: unknown) => Promise<void>,
): Promise<number> {
  const dry = bucketInMemory()
  await prepare(dry)
  const before = dry.writes()
  await work(dry)
  const count = dry.writes() - before
  for (let at = 0; at < count; at++)
    for (const way of ['before', 'after'] as const)
      for (const isGone of [true, false]) {
        const world = bucketInMemory()
        await prepare(world)
        world.failAt(at, way, isGone)
        const outcome = await work(world).catch((error: unknown) => error)
        world.mend()
        await check(world, outcome)
      }
  return count
}

const commit = ({ folders }: World) => folders.commit('t/run', 'id-1', files)
const names = files.map(({ name }) => name)
const isWholeOrNone = async (world: World) => expect([[], names]).toContainEqual(await seen(world))
const manifestKey = 'p/manifests/t/run/!manifest.json'
const wholeKeys = [...names.map((name) => `p/files/t/run/!id-1/${name}`), manifestKey].toSorted()

describe('folders in a bucket', () => {
  it('given a commit, when it is done, then its objects belong to the tenant, and no pending note is left', async () => {
    const world = bucketInMemory()
    await commit(world)
    expect(world.keys()).toEqual(wholeKeys)
    await world.folders.remove('t/run')
    expect(world.keys()).toEqual([])
  })

  it('given a commit, when any of its writes fails, then readers see all of it or nothing, and a sweep leaves nothing else', async () => {
    const count = await everyFailure(
      async () => undefined,
      commit,
      async (world, outcome) => {
        await isWholeOrNone(world)
        const before = await seen(world)
        if (outcome === undefined) expect(before).toEqual(names)
        world.later(2 * dayMs)
        await world.folders.sweep()
        expect(await seen(world)).toEqual(before)
        expect(world.keys()).toEqual(before.length === 0 ? [] : wholeKeys)
      },
    )
    expect(count).toBe(6)
  })

  it('given a removal, when any of its writes fails, then readers see all of it or nothing, and a sweep leaves nothing else', async () => {
    await everyFailure(
      commit,
      ({ folders }) => folders.remove('t/run'),
      async (world) => {
        await isWholeOrNone(world)
        const before = await seen(world)
        world.later(2 * dayMs)
        await world.folders.sweep()
        expect(await seen(world)).toEqual(before)
        expect(world.keys()).toEqual(before.length === 0 ? [] : wholeKeys)
      },
    )
  })

  it('given a removal of one file, when any of its writes fails, then the other files do not change', async () => {
    await everyFailure(
      commit,
      ({ folders }) => folders.remove('t/run/d'),
      async (world) => {
        const rest = names.filter((name) => name !== 'd/b.parquet')
        expect([rest, names]).toContainEqual(await seen(world))
        const before = await seen(world)
        world.later(2 * dayMs)
        await world.folders.sweep()
        expect(await seen(world)).toEqual(before)
        expect(world.keys()).toHaveLength(before.length + 1)
      },
    )
  })

  it('given an upload in progress, when swept, then it is not touched', async () => {
    const world = bucketInMemory()
    world.failAt(4, 'before', true)
    await expect(commit(world)).rejects.toThrow('failed')
    world.mend()
    const before = world.keys()
    world.later(dayMs - 1)
    await world.folders.sweep()
    expect(world.keys()).toEqual(before)
  })

  it('given a manifest sent twice, because its answer was lost, then its own write does not count as another one', async () => {
    const world = bucketInMemory({ isSentTwice: true })
    await commit(world)
    expect(await seen(world)).toEqual(names)
    expect(world.keys()).toEqual(wholeKeys)
    const again = await world.folders.commit('t/run', 'id-2', files).catch((error: unknown) => error)
    expect(isAssayError(again, 'taken')).toBe(true)
    expect(world.keys()).toEqual(wholeKeys)
  })

  it('given a key that is too long for the store, when committed to, then it is refused before anything is written', async () => {
    const world = bucketInMemory()
    await expect(world.folders.commit(`t/${'a/'.repeat(505)}b`, 'id-1', files)).rejects.toMatchObject({
      code: 'invalid',
    })
    expect(world.keys()).toEqual([])
  })
})
