import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm, rmdir, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { isAssayError } from '@assay/service-kit/errors'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { artifactsFeatures } from '../testing/index.ts'
import { createFilesystemArtifacts } from './index.ts'

const newId = () => randomUUID()

artifactsFeatures('the file system', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'artifacts-'))
  const root = join(folder, 'results')
  const open = () => createFilesystemArtifacts({ root, newId })
  return {
    artifacts: open(),
    reopen: async () => open(),
    async writeAndDie() {
      const writer = spawn(process.execPath, [join(import.meta.dirname, 'killed-writer.fixture.ts'), root], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const [stage] = await once(createInterface(writer.stdout), 'line')
      writer.kill('SIGKILL')
      await once(writer, 'exit')
      return String(stage)
    },
    async loseStore() {
      const lost = open()
      await lost.sweep()
      await rm(root, { recursive: true })
      await writeFile(root, 'not a folder')
      return lost
    },
    end: () => rm(folder, { recursive: true }),
  }
})

describe('artifacts of the file system in addition to their port', () => {
  let folder: string
  let root: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'artifacts-'))
    root = join(folder, 'results')
  })
  afterEach(() => rm(folder, { recursive: true }))
  const invalid = expect.toSatisfy((error: unknown) => isAssayError(error, 'invalid'), 'invalid')

  it('given a commit, when its files are read, then only their owner may read them', async () => {
    const stage = await createFilesystemArtifacts({ root, newId }).stage('t')
    await mkdir(join(stage.folder, 'd'), { mode: 0o777 })
    await writeFile(join(stage.folder, 'd/x.txt'), 'x', { mode: 0o666 })
    await stage.commit('t/a/b')
    const mode = async (path: string) => ((await stat(join(root, path))).mode & 0o777).toString(8)
    const modes = await Promise.all(['', '.staging', 't', 't/a', 't/a/b', 't/a/b/d', 't/a/b/d/x.txt'].map(mode))
    expect(modes).toEqual(['700', '700', '700', '700', '700', '700', '600'])
    expect(await readdir(join(root, '.staging'))).toEqual([])
  })

  it('given removed artifacts, when the root is listed, then no empty folder is left above them', async () => {
    const artifacts = createFilesystemArtifacts({ root, newId })
    for (const key of ['t/runs/1/a', 't/runs/1/b', 't/runs/2/a', 'u/one']) {
      const stage = await artifacts.stage(key.slice(0, 1))
      await writeFile(join(stage.folder, 'x'), 'x')
      await stage.commit(key)
    }
    const left = async () => (await readdir(root, { recursive: true })).filter((name) => name !== '.staging').toSorted()
    await artifacts.remove('t/runs/1/a')
    await artifacts.remove('t/runs/2/a/x')
    await artifacts.remove('u/one')
    expect(await left()).toEqual(['t', 't/runs', 't/runs/1', 't/runs/1/b', 't/runs/1/b/x', 't/runs/2', 't/runs/2/a'])
    await artifacts.remove('t/runs/2/a')
    await artifacts.remove('t/runs/1/b')
    expect(await left()).toEqual([])
  })

  it('given empty folders that are removed repeatedly, when artifacts are committed below them, then none is lost', async () => {
    const artifacts = createFilesystemArtifacts({ root, newId })
    const parents = ['t/runs/1', 't/runs', 't'].map((key) => join(root, key))
    let committing = true
    const removing = (async () => {
      let removed = 0
      while (committing && removed < 60)
        for (const parent of parents)
          await rmdir(parent).then(
            () => removed++,
            () => undefined,
          )
    })()
    for (let round = 0; round < 30; round++) {
      const stage = await artifacts.stage('t')
      await stage.commit('t/runs/1/a')
      expect(await readdir(join(root, 't/runs/1'))).toEqual(['a'])
      await artifacts.remove('t/runs/1/a')
    }
    committing = false
    await removing
  })

  it('given links below the root, when used in any way, then they are not followed', async () => {
    const artifacts = createFilesystemArtifacts({ root, newId })
    const outside = join(folder, 'outside')
    await mkdir(outside)
    await writeFile(join(outside, 'secret'), 'secret')
    await mkdir(join(root, 't'), { recursive: true })
    await mkdir(join(root, 'u'))
    await writeFile(join(root, 'u/other'), 'other')
    await symlink(outside, join(root, 't/out'))
    await symlink(join(root, 'u'), join(root, 't/neighbour'))
    await symlink(join(outside, 'secret'), join(root, 't/file'))
    await symlink(join(root, 't/loop'), join(root, 't/loop'))
    for (const key of ['t/out/secret', 't/neighbour/other', 't/file', 't/loop'])
      await expect(artifacts.readText(key)).rejects.toEqual(invalid)
    await expect(artifacts.list('t/out')).rejects.toEqual(invalid)
    await expect(artifacts.remove('t/out/secret')).rejects.toEqual(invalid)
    expect(await artifacts.list('t')).toEqual([])
    const stage = await artifacts.stage('t')
    await expect(stage.commit('t/out/new')).rejects.toEqual(invalid)
    expect(await readdir(outside)).toEqual(['secret'])
  })

  it('given a root that is a link, when an artifact is committed, then it can be read', async () => {
    await mkdir(join(folder, 'disk'))
    await symlink(join(folder, 'disk'), root)
    const artifacts = createFilesystemArtifacts({ root, newId })
    const stage = await artifacts.stage('t')
    await writeFile(join(stage.folder, 'x'), 'x')
    await stage.commit('t/a')
    expect(await artifacts.readText('t/a/x')).toBe('x')
  })

  it('given a root that is not a folder, when used in any way, then the error is unavailable', async () => {
    await writeFile(root, '')
    const artifacts = createFilesystemArtifacts({ root, newId })
    const unavailable = expect.toSatisfy((error: unknown) => isAssayError(error, 'unavailable'), 'unavailable')
    await expect(artifacts.stage('t')).rejects.toEqual(unavailable)
    await expect(artifacts.list('t')).rejects.toEqual(unavailable)
    await expect(artifacts.readText('t/a')).rejects.toEqual(unavailable)
  })

  it('given a stage of an earlier process with the same id, when swept, then it is removed', async () => {
    const left = join(root, '.staging', `${process.pid}-left`)
    await mkdir(left, { recursive: true })
    await createFilesystemArtifacts({ root, newId }).sweep()
    expect(await readdir(join(root, '.staging'))).toEqual([])
  })

  it('given stages of other machines, when swept, then only old ones are removed', async () => {
    const now = Date.parse('2026-01-02T00:00:00Z')
    const staging = join(root, '.staging')
    for (const [name, age] of [
      ['b+1-young', 10],
      ['b+1-old', 5000],
      ['a+999999999-dead', 0],
    ] as const) {
      await mkdir(join(staging, name), { recursive: true })
      await utimes(join(staging, name), (now - age) / 1000, (now - age) / 1000)
    }
    const sharedWith = { host: 'a', clock: { now: () => now }, staleAfterMs: 1000 }
    const artifacts = createFilesystemArtifacts({ root, newId, sharedWith })
    const mine = await artifacts.stage('t')
    await artifacts.sweep()
    expect((await readdir(staging)).toSorted()).toEqual([`a+${process.pid}-${mine.folder.slice(-36)}`, 'b+1-young'])
  })
})
