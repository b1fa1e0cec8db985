import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runWarmUp } from './warm-up-run.ts'

describe('the warm-up run of a waiting child', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'assay-warm-up-'))
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  it('given no work, when it ends, then each of its metrics was measured and its files are removed', async () => {
    const metrics = await runWarmUp(folder, new AbortController().signal)
    expect(metrics).toHaveLength(15)
    expect(metrics.filter(({ kind }) => kind === 'error')).toEqual([])
    expect(await readdir(folder)).toEqual([])
  })
  it('given an engine that cannot be opened, when it ends, then its files are removed', async () => {
    const warmUp = runWarmUp(folder, new AbortController().signal, () => Promise.reject(new Error('no engine')))
    await expect(warmUp).rejects.toThrow('no engine')
    expect(await readdir(folder)).toEqual([])
  })
  it('given work that arrives, when it ends, then its files are removed', async () => {
    const working = new AbortController()
    const ended = runWarmUp(folder, working.signal)
    working.abort()
    await ended.catch(() => undefined)
    expect(await readdir(folder)).toEqual([])
  })
})
