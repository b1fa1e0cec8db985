import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { isAssayError } from '@assay/service-kit/errors'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Artifacts, Stage } from '../port.ts'
import { invalidKeys } from './invalid-keys.ts'

/** A separate store for one test. */
export interface ArtifactsUnderTest {
  artifacts: Artifacts
  /** Opens another adapter over the same store, as another process would. */
  reopen(): Promise<Artifacts>
  /**
   * Another process stages a folder of tenant `t`, writes to it and is killed before it commits. Returns the folder.
   */
  writeAndDie(): Promise<string>
  /** An adapter whose store failed after it was opened. */
  loseStore(): Promise<Artifacts>
  end(): Promise<void>
}

const code = (wanted: 'invalid' | 'taken' | 'too-large' | 'unavailable') =>
  expect.toSatisfy((error: unknown) => isAssayError(error, wanted), wanted)

/** The behaviour suite of the port. */
export function artifactsFeatures(name: string, make: () => Promise<ArtifactsUnderTest>): void {
  describe(`artifacts of ${name}`, () => {
    let underTest: ArtifactsUnderTest
    let artifacts: Artifacts
    beforeEach(async () => {
      underTest = await make()
      artifacts = underTest.artifacts
    })
    afterEach(() => underTest.end())

    async function staged(files: { readonly [name: string]: string }, tenant = 't'): Promise<Stage> {
      const stage = await artifacts.stage(tenant)
      for (const [name, content] of Object.entries(files)) {
        await mkdir(join(stage.folder, name, '..'), { recursive: true })
        await writeFile(join(stage.folder, name), content)
      }
      return stage
    }
    async function committed(key: string, files: { readonly [name: string]: string }): Promise<void> {
      await (await staged(files, key.split('/')[0])).commit(key)
    }
    const keys = async (prefix: string) => (await artifacts.list(prefix)).map(({ key }) => key)
    const absent = (path: string) => expect(readFile(path)).rejects.toThrow()

    it('given an empty store, when read, listed or removed, then the answer is empty, without an error', async () => {
      expect(await artifacts.list('t')).toEqual([])
      expect(await artifacts.list('t/a/b')).toEqual([])
      expect(await artifacts.open('t/a')).toBeUndefined()
      expect(await artifacts.readText('t/a')).toBeUndefined()
      await artifacts.remove('t/a')
      await artifacts.sweep()
    })

    it('given a store, empty or not, when checked, then it answers', async () => {
      await artifacts.check()
      await committed('t/runs/1', { 'a.txt': 'x' })
      await artifacts.check()
      expect(await keys('t')).toEqual(['t/runs/1/a.txt'])
    })

    it('given a store that is gone, when checked, then it is unavailable, with a sentence', async () => {
      const lost = await underTest.loseStore()
      await expect(lost.check()).rejects.toEqual(code('unavailable'))
      await expect(lost.check()).rejects.toThrow(/^The .*results .*\.$/)
      await lost.close()
    })

    it('given a commit, when listed and read, then all files have their sizes and are sorted by key', async () => {
      await committed('t/runs/1', { 'b.txt': 'über', 'a/c=1/x.parquet': '123', empty: '' })
      expect(await artifacts.list('t/runs/1')).toEqual([
        { key: 't/runs/1/a/c=1/x.parquet', sizeBytes: 3 },
        { key: 't/runs/1/b.txt', sizeBytes: 5 },
        { key: 't/runs/1/empty', sizeBytes: 0 },
      ])
      expect(await artifacts.readText('t/runs/1/b.txt')).toBe('über')
      expect(await artifacts.readText('t/runs/1/empty')).toBe('')
      const file = await artifacts.open('t/runs/1/b.txt')
      expect(file?.sizeBytes).toBe(5)
      expect(file && (await text(file.stream))).toBe('über')
      const again = await underTest.reopen()
      expect(await again.readText('t/runs/1/b.txt')).toBe('über')
    })

    it('given a stage, when it is not committed, then nothing is listed or read', async () => {
      const stage = await staged({ 'a.txt': 'x' })
      expect(await artifacts.list('t')).toEqual([])
      await stage.discard()
      expect(await artifacts.list('t')).toEqual([])
      await absent(join(stage.folder, 'a.txt'))
    })

    it('given a file of 1 MiB, when opened, then the stream yields every byte', async () => {
      const content = Array.from({ length: 65_536 }, (_, index) => index.toString(16).padStart(16, '0')).join('')
      await committed('t/big', { 'a.txt': content })
      const file = await artifacts.open('t/big/a.txt')
      expect(file?.sizeBytes).toBe(content.length)
      expect(file && (await text(file.stream)) === content).toBe(true)
    })

    it('given a file of more than 16 MiB, when read as text, then it is too large, but can be streamed', async () => {
      await committed('t/big', { 'a.txt': 'x'.repeat(16 * 1024 * 1024 + 1) })
      await expect(artifacts.readText('t/big/a.txt')).rejects.toEqual(code('too-large'))
      const file = await artifacts.open('t/big/a.txt')
      expect(file && (await text(file.stream)).length).toBe(16 * 1024 * 1024 + 1)
    })

    it('given a folder, when opened or read as a file, then there is no such file', async () => {
      await committed('t/a', { 'b/c.txt': 'x' })
      expect(await artifacts.open('t/a/b')).toBeUndefined()
      expect(await artifacts.readText('t/a')).toBeUndefined()
      expect(await artifacts.readText('t/a/b/c.txt/d')).toBeUndefined()
    })

    it('given keys with a common prefix, when one is listed, then only whole segments match', async () => {
      await committed('t/run1', { 'a.txt': '1' })
      await committed('t/run10', { 'a.txt': '10' })
      expect(await keys('t/run1')).toEqual(['t/run1/a.txt'])
      expect(await keys('t/run1/a.txt')).toEqual(['t/run1/a.txt'])
      expect(await keys('t/run1/a')).toEqual([])
      expect(await keys('t')).toEqual(['t/run1/a.txt', 't/run10/a.txt'])
    })

    it('given names that sort differently from paths, when listed, then the files are sorted by key', async () => {
      await committed('t/a', { 'b/x': '1', 'b.x': '2', 'b-x': '3', b0: '4' })
      await committed('t/a.b', { x: '5' })
      expect(await keys('t')).toEqual(['t/a.b/x', 't/a/b-x', 't/a/b.x', 't/a/b/x', 't/a/b0'])
    })

    it('given two adapters, when one commits or removes a key, then the other adapter sees the change immediately', async () => {
      const other = await underTest.reopen()
      expect(await other.list('t')).toEqual([])
      await committed('t/a', { 'x.txt': 'x' })
      expect(await other.readText('t/a/x.txt')).toBe('x')
      await other.remove('t/a')
      expect(await artifacts.readText('t/a/x.txt')).toBeUndefined()
      expect(await artifacts.open('t/a/x.txt')).toBeUndefined()
      await other.close()
    })

    it('given files that are read at the same time, when streamed, then each yields its own bytes', async () => {
      const files = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`f${index}`, `${index}`.repeat(5000)]))
      await committed('t/a', files)
      const read = await Promise.all(
        Object.keys(files).map(async (name) => {
          const file = await artifacts.open(`t/a/${name}`)
          return [name, file && (await text(file.stream))]
        }),
      )
      expect(Object.fromEntries(read)).toEqual(files)
    })

    describe('commit', () => {
      it('given a folder, when another one is committed above it, then the commit is refused as taken', async () => {
        await committed('t/a/b', { 'x.txt': 'x' })
        const stage = await staged({ 'y.txt': 'y' })
        await expect(stage.commit('t/a')).rejects.toEqual(code('taken'))
        expect(await keys('t')).toEqual(['t/a/b/x.txt'])
        await stage.discard()
      })

      it('given a stage without files, when committed, then there is nothing to list, and its key is taken', async () => {
        await (await staged({})).commit('t/a')
        expect(await artifacts.list('t/a')).toEqual([])
        await expect((await staged({ 'x.txt': 'x' })).commit('t/a')).rejects.toEqual(code('taken'))
        await artifacts.remove('t/a')
        await committed('t/a', { 'x.txt': 'x' })
        expect(await keys('t')).toEqual(['t/a/x.txt'])
      })

      it('given a discarded stage, when committed or discarded again, then the call has no effect', async () => {
        const stage = await staged({ 'x.txt': 'x' })
        await stage.discard()
        await stage.discard()
        await expect(stage.commit('t/a')).rejects.toThrow('already')
        expect(await artifacts.list('t')).toEqual([])
      })

      it('given a stage, when committed, then its local folder is gone', async () => {
        const stage = await staged({ 'x.txt': 'x' })
        await stage.commit('t/a')
        await absent(join(stage.folder, 'x.txt'))
      })

      it('given an existing key, when committed to, then the commit is refused as taken, and another key can be used', async () => {
        await committed('t/a', { 'x.txt': 'first' })
        const stage = await staged({ 'y.txt': 'second' })
        await expect(stage.commit('t/a')).rejects.toEqual(code('taken'))
        await expect(stage.commit('t/a/x.txt')).rejects.toEqual(code('taken'))
        await expect(stage.commit('t/a/x.txt/y')).rejects.toEqual(code('taken'))
        await stage.commit('t/b')
        expect(await keys('t')).toEqual(['t/a/x.txt', 't/b/y.txt'])
      })

      it('given ten stages, when all commit to one key concurrently, then exactly one succeeds', async () => {
        const stages = await Promise.all(
          Array.from({ length: 10 }, (_, index) => staged({ [`f${index}`]: 'x', g: 'y' })),
        )
        const outcomes = await Promise.allSettled(stages.map((stage) => stage.commit('t/one')))
        expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
        for (const outcome of outcomes) if (outcome.status === 'rejected') expect(outcome.reason).toEqual(code('taken'))
        expect(await artifacts.list('t/one')).toHaveLength(2)
      })

      it('given a committed stage, when discarded, then the artifact stays, and the stage cannot be committed again', async () => {
        const stage = await staged({ 'x.txt': 'x' })
        await stage.commit('t/a')
        await stage.discard()
        expect(await keys('t')).toEqual(['t/a/x.txt'])
        await expect(stage.commit('t/b')).rejects.toThrow('already')
      })

      it('given the key of another tenant, when committed to, then the commit is refused', async () => {
        const stage = await staged({ 'x.txt': 'x' })
        await expect(stage.commit('u/a')).rejects.toEqual(code('invalid'))
        expect(await artifacts.list('u')).toEqual([])
      })

      it('given a link in a stage, when committed, then the commit is refused and nothing is visible', async () => {
        const stage = await staged({ 'x.txt': 'x' })
        await symlink('/etc/hostname', join(stage.folder, 'link'))
        await expect(stage.commit('t/a')).rejects.toEqual(code('invalid'))
        expect(await artifacts.list('t')).toEqual([])
      })

      it('given a reader that lists continuously, when folders are committed and removed, then each is listed completely or not at all', async () => {
        const files = Object.fromEntries(
          Array.from({ length: 8 }, (_, index) => [`d${index % 4}/f${index}`, 'content']),
        )
        let writing = true
        const seen = new Set<number>()
        const reading = (async () => {
          while (writing) {
            for (let run = 0; run < 10; run++) {
              const found = await artifacts.list(`t/run-${run}`)
              seen.add(found.length)
              if (found.some(({ sizeBytes }) => sizeBytes !== 7)) seen.add(-1)
            }
          }
        })()
        for (let round = 0; round < 2; round++) {
          for (let run = 0; run < 10; run++) await committed(`t/run-${run}`, files)
          for (let run = 0; run < 10; run++) await artifacts.remove(`t/run-${run}`)
        }
        writing = false
        await reading
        expect([...seen].filter((count) => count !== 0 && count !== Object.keys(files).length)).toEqual([])
      })
    })

    describe('keys', () => {
      for (const key of invalidKeys) {
        const shown = JSON.stringify(key.length > 40 ? `${key.slice(0, 20)}… (${key.length})` : key)
        it(`given the key ${shown}, when used in any way, then it is refused as invalid`, async () => {
          const stage = await staged({ 'x.txt': 'x' })
          await expect(stage.commit(key)).rejects.toEqual(code('invalid'))
          await expect(artifacts.open(key)).rejects.toEqual(code('invalid'))
          await expect(artifacts.readText(key)).rejects.toEqual(code('invalid'))
          await expect(artifacts.list(key)).rejects.toEqual(code('invalid'))
          await expect(artifacts.remove(key)).rejects.toEqual(code('invalid'))
          await expect(artifacts.stage(key)).rejects.toEqual(code('invalid'))
          await stage.discard()
        })
      }

      it('given two tenants, when the artifacts of one tenant are removed, then the artifacts of the other tenant stay', async () => {
        await committed('t/a', { 'x.txt': 'of t' })
        await committed('u/a', { 'x.txt': 'of u' })
        expect(await keys('t')).toEqual(['t/a/x.txt'])
        await artifacts.remove('t')
        expect(await keys('t')).toEqual([])
        expect(await artifacts.readText('u/a/x.txt')).toBe('of u')
      })
    })

    describe('remove', () => {
      it('given files, when a file or folder is removed, then the other files stay and the key can be used again', async () => {
        await committed('t/a', { 'x.txt': 'x', 'b/y.txt': 'y', 'b/z.txt': 'z' })
        await artifacts.remove('t/a/x.txt')
        expect(await keys('t')).toEqual(['t/a/b/y.txt', 't/a/b/z.txt'])
        await artifacts.remove('t/a/b')
        await artifacts.remove('t/a')
        await artifacts.remove('t/a')
        expect(await keys('t')).toEqual([])
        await committed('t/a', { 'n.txt': 'n' })
        expect(await keys('t')).toEqual(['t/a/n.txt'])
      })

      it('given a folder, when ten files are removed concurrently, then exactly these are gone', async () => {
        const names = Array.from({ length: 10 }, (_, index) => `f${index}`)
        await committed('t/a', Object.fromEntries([...names, 'kept'].map((name) => [name, 'x'])))
        await Promise.all(names.map((name) => artifacts.remove(`t/a/${name}`)))
        expect(await keys('t')).toEqual(['t/a/kept'])
        expect(await artifacts.readText('t/a/kept')).toBe('x')
      })
    })

    it('given artifacts in one folder, when some are removed while others are committed, then no call fails and no artifact is lost', async () => {
      const rounds = Array.from({ length: 10 }, (_, index) => index)
      const ofOne = async (name: string) => {
        for (const round of rounds) {
          await committed(`t/runs/1/${name}-${round}`, { 'x.txt': name })
          expect(await keys(`t/runs/1/${name}-${round}`)).toHaveLength(1)
          await artifacts.remove(`t/runs/1/${name}-${round}`)
        }
        await committed(`t/runs/1/${name}`, { 'x.txt': name })
      }
      await Promise.all(['a', 'b', 'c'].map(ofOne))
      expect(await keys('t')).toEqual(['t/runs/1/a/x.txt', 't/runs/1/b/x.txt', 't/runs/1/c/x.txt'])
    })

    describe('sweep', () => {
      it('given a writer killed before its commit, when swept, then its stage is gone and nothing was visible', async () => {
        const folder = await underTest.writeAndDie()
        expect(await artifacts.list('t')).toEqual([])
        expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('half')
        await artifacts.sweep()
        await absent(join(folder, 'a.txt'))
        expect(await artifacts.list('t')).toEqual([])
      })

      it('given a stage in use, when any adapter sweeps, then the stage stays and can be committed', async () => {
        const stage = await staged({ 'x.txt': 'x' })
        await artifacts.sweep()
        await (await underTest.reopen()).sweep()
        await stage.commit('t/a')
        await artifacts.sweep()
        expect(await keys('t')).toEqual(['t/a/x.txt'])
      })
    })
  })
}
