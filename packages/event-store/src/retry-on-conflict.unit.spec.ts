import { AssayError } from '@assay/service-kit/errors'
import { describe, expect, it } from 'vitest'
import { retryOnConflict } from './retry-on-conflict.ts'

function work(code: 'conflict' | 'taken', failures: number) {
  const done = { calls: 0, pauses: [] as number[] }
  const timers = { sleep: async (milliseconds: number) => void done.pauses.push(milliseconds) }
  const run = async () => {
    done.calls += 1
    if (done.calls <= failures) throw new AssayError(code, 'Another writer was first.')
    return done.calls
  }
  return { done, ended: retryOnConflict(timers, run) }
}

describe('given work that may conflict with another writer', () => {
  it('when it conflicts a few times, then it runs again after growing pauses', async () => {
    const { done, ended } = work('conflict', 9)
    expect(await ended).toBe(10)
    expect(done.pauses).toEqual([1, 2, 4, 8, 16, 32, 64, 100, 100])
  })

  it('when it conflicts each time, then the fiftieth conflict is thrown', async () => {
    const { done, ended } = work('conflict', Number.POSITIVE_INFINITY)
    await expect(ended).rejects.toMatchObject({ code: 'conflict' })
    expect(done.calls).toBe(50)
  })

  it('when it fails with another error, then it does not run again', async () => {
    const { done, ended } = work('taken', 1)
    await expect(ended).rejects.toMatchObject({ code: 'taken' })
    expect(done.calls).toBe(1)
  })
})
