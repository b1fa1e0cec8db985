import { describe, expect, it } from 'vitest'
import {
  type AssetReferenceCommand,
  type AssetReferenceState,
  decideAssetReference,
  evolveAssetReference,
  initialAssetReference,
  keptJobs,
} from './asset-reference.ts'

const at = '2026-01-01T00:00:00.000Z'
const after = (state: AssetReferenceState, ...commands: AssetReferenceCommand[]) =>
  commands.reduce((now, command) => decideAssetReference(command, now).reduce(evolveAssetReference, now), state)
const submit = (jobId: number): AssetReferenceCommand => ({
  type: 'SubmitJob',
  assetId: 4,
  uid: 'u',
  jobId,
  at,
  by: 'ann',
  requestId: 'r',
  assetName: 'a',
  sourceType: 'FILE',
  referenceAssetId: null,
  limits: { maxRowCount: 10, timeOutMilliseconds: 1000 },
})
const claim = (jobId: number, more: { at?: string; worker?: string; until?: string } = {}): AssetReferenceCommand => ({
  type: 'ClaimJob',
  jobId,
  at,
  worker: 'w',
  until: '2026-01-01T00:01:00.000Z',
  ...more,
})
const result = { count: 1, status: 'SUCCESSFUL', message: null, inferredSchema: null } as const
const baseline = { artifact: 'default/baselines/4/1' }
const succeed = (jobId: number, fence = 1): AssetReferenceCommand => ({
  type: 'SucceedJob',
  ...{ jobId, fence, at, result, baseline },
})

describe('jobs that measure an asset against its reference', () => {
  const open = after(initialAssetReference, submit(1))

  it('given an open job, when another is requested, then the open one is returned', () => {
    expect(decideAssetReference(submit(2), open)).toEqual([])
    expect(after(open, claim(1), succeed(1), submit(2)).jobs.map(({ status }) => status)).toEqual([
      'SUCCESSFUL',
      'SUBMITTED',
    ])
  })
  it('given a claimed job, then no other worker gets it until the claim expires', () => {
    const claimed = after(open, claim(1))
    expect(decideAssetReference(claim(1, { worker: 'v' }), claimed)).toEqual([])
    expect(decideAssetReference(claim(1, { worker: 'v', at: '2026-01-01T00:02:00.000Z' }), claimed)).toHaveLength(1)
    const released = after(claimed, { type: 'ReleaseJob', jobId: 1, at, fence: 1 })
    expect(released.jobs[0]).toMatchObject({ status: 'SUBMITTED', work: { status: 'waiting', lost: 0 } })
  })
  it('given a job whose workers keep dying, then it fails', () => {
    const later = [1, 2, 3, 4].map((hour) => claim(1, { at: `2026-01-01T0${hour}:00:00.000Z` }))
    expect(after(open, ...later).jobs[0]).toMatchObject({ status: 'FAILED' })
  })
  it('given a worker that has lost its claim, then its commands have no effect', () => {
    const later = { at: '2026-01-01T00:02:00.000Z', until: '2026-01-01T00:03:00.000Z', worker: 'v' }
    const takenOver = after(open, claim(1), claim(1, later))
    const displaced: AssetReferenceCommand[] = [
      succeed(1, 1),
      { type: 'FailJob', jobId: 1, fence: 1, at, error: 'x' },
      { type: 'ReleaseJob', jobId: 1, fence: 1, at },
      { type: 'RenewJob', jobId: 1, fence: 1, at, until: later.until },
    ]
    for (const command of displaced) expect(decideAssetReference(command, takenOver)).toEqual([])
    expect(after(takenOver, succeed(1, 2)).jobs[0]).toMatchObject({ status: 'SUCCESSFUL' })
  })
  it('given an ended job, then it does not change, and cannot be cancelled', () => {
    const ended = after(open, claim(1), succeed(1))
    expect(ended).toMatchObject({ baseline })
    expect(decideAssetReference({ type: 'FailJob', jobId: 1, fence: 1, at, error: 'x' }, ended)).toEqual([])
    expect(() => decideAssetReference({ type: 'CancelJob', jobId: 1, at, by: 'b' }, ended)).toThrow('already finished')
    expect(() => decideAssetReference({ type: 'CancelJob', jobId: 9, at, by: 'b' }, ended)).toThrow('no such job')
  })
  it('given a cancelled job, then its result has no effect', () => {
    const cancelled = after(open, claim(1), { type: 'CancelJob', jobId: 1, at, by: 'b' })
    expect(decideAssetReference(succeed(1), cancelled)).toEqual([])
    expect(cancelled.jobs[0]).toMatchObject({ status: 'ABORTED', finishedAt: at })
  })
  it('given one job more than are kept, then the oldest is dropped', () => {
    let state = initialAssetReference
    for (let id = 1; id <= keptJobs + 1; id++) state = after(state, submit(id), claim(id), succeed(id))
    expect(state.jobs).toHaveLength(keptJobs)
    expect(state.jobs[0]?.id).toBe(2)
  })
})
