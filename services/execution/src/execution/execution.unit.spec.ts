import { describe, expect, it } from 'vitest'
import { runFixture } from '../testing/fixtures.ts'
import { decide, type ExecutionCommand } from './decide.ts'
import { type ExecutionEvent, type ExecutionState, evolve, noExecution } from './execution.ts'
import { type RunResult, recordedRun } from './run.ts'

const run = runFixture()
const accepted: ExecutionEvent = { type: 'ExecutionAccepted', data: { run: recordedRun(run) } }
const time = (second: number) => `2026-11-20T10:00:${String(second).padStart(2, '0')}.000Z`
const claimed = (fence: number, at: number, until: number): ExecutionEvent => ({
  type: 'ExecutionClaimed',
  data: { worker: 'w', fence, at: time(at), until: time(until) },
})
const claim = (at: number): ExecutionCommand => ({
  type: 'ClaimExecution',
  worker: 'x',
  at: time(at),
  until: time(at + 30),
})
const given = (...events: ExecutionEvent[]): ExecutionState => events.reduce(evolve, noExecution)
const result: RunResult = {
  outcomes: [],
  qualityScore: 100,
  verdict: 'SUCCESSFUL',
  scoreError: null,
  files: { root: 'default', metadata: { key: 'default/m', file: 'part-0.json' }, bad: null, good: null },
  sides: [
    { side: 'ONE' as const, rowsScanned: 0, mark: null, warnings: { total: 0, first: [] }, engineMs: 1, touched: [] },
  ] as [RunResult['sides'][0]],
  markKey: null,
}

describe('an accepted run', () => {
  it('is claimed by the first worker', () => {
    expect(decide(claim(1), given(accepted))).toEqual([
      { type: 'ExecutionClaimed', data: { worker: 'x', fence: 1, at: time(1), until: time(31) } },
    ])
  })
  it('is not accepted twice', () => {
    expect(decide({ type: 'AcceptExecution', run }, given(accepted))).toEqual([])
  })
})

describe('a claim', () => {
  it('excludes other workers until it expires', () => {
    expect(decide(claim(29), given(accepted, claimed(1, 0, 30)))).toEqual([])
  })
  it('is replaced by a claim with a higher fence when it has expired', () => {
    const [event] = decide(claim(30), given(accepted, claimed(1, 0, 30)))
    expect(event).toMatchObject({ type: 'ExecutionClaimed', data: { fence: 2 } })
  })
  it('expires later when it is renewed', () => {
    const progress = { stage: 'MEASURING' as const, fraction: 0.5 }
    const renewed: ExecutionEvent = {
      type: 'ExecutionProgressed',
      data: { fence: 1, at: time(10), until: time(40), progress },
    }
    const state = given(accepted, claimed(1, 0, 30), renewed)
    expect(decide(claim(31), state)).toEqual([])
    expect(state).toMatchObject({ progress, claim: { renewedAt: time(10) } })
  })
  it('fails the run when it expires for the third time', () => {
    const state = given(accepted, claimed(1, 0, 1), claimed(2, 1, 2), claimed(3, 2, 3))
    expect(decide(claim(4), state)).toEqual([
      {
        type: 'ExecutionFailed',
        data: { finishedAt: time(4), error: 'The run ended unexpectedly three times.' },
      },
    ])
  })
  it('that is released allows a new claim immediately, and does not count as lost', () => {
    const released: ExecutionEvent = { type: 'ExecutionReleased', data: { fence: 1, at: time(1) } }
    const state = given(accepted, claimed(1, 0, 30), released)
    expect(decide(claim(2), state)).toMatchObject([{ type: 'ExecutionClaimed', data: { fence: 2 } }])
    expect(state).toMatchObject({ status: 'waiting', lost: 0 })
  })
})

describe('a run that waits between its sides', () => {
  const delay: ExecutionCommand = { type: 'DelayExecution', fence: 1, at: time(5), until: time(40), key: 'default/l' }
  const [event] = decide(delay, given(accepted, claimed(1, 0, 30)))
  const delayed = event ? [accepted, claimed(1, 0, 30), event] : []
  it('has no worker, is claimed at the end of its wait but not before, and counts no death', () => {
    expect(given(...delayed)).toMatchObject({
      ...{ status: 'waiting', lost: 0, waitsUntil: time(40) },
      readFirst: { key: 'default/l', fence: 1 },
    })
    expect(decide(claim(39), given(...delayed))).toEqual([])
    expect(decide(claim(40), given(...delayed))).toMatchObject([{ type: 'ExecutionClaimed', data: { fence: 2 } }])
  })
  it('keeps what it has read through a claim and a release, and waits only once', () => {
    const released: ExecutionEvent = { type: 'ExecutionReleased', data: { fence: 2, at: time(42) } }
    const state = given(...delayed, claimed(2, 41, 50), released)
    expect(state).toMatchObject({ status: 'waiting', readFirst: { key: 'default/l', fence: 1 } })
    expect(state).not.toHaveProperty('waitsUntil')
  })
  it('does not wait for a worker that has lost its claim', () => {
    expect(decide(delay, given(accepted, claimed(1, 0, 1), claimed(2, 1, 31)))).toEqual([])
  })
  it('can be cancelled', () => {
    const aborted: ExecutionEvent = { type: 'ExecutionAborted', data: { finishedAt: time(6), by: 'bob' } }
    expect(decide({ type: 'CancelExecution', at: time(6), by: 'bob' }, given(...delayed))).toEqual([aborted])
    expect(given(...delayed, aborted)).toMatchObject({ readFirst: { key: 'default/l' }, attempts: 1 })
  })
})

describe('a worker that has lost its claim', () => {
  const taken = given(accepted, claimed(1, 0, 1), claimed(2, 1, 31))
  it.each<ExecutionCommand>([
    { type: 'SucceedExecution', fence: 1, at: time(2), result },
    { type: 'FailExecution', fence: 1, at: time(2), error: 'no' },
    { type: 'ReleaseExecution', fence: 1, at: time(2) },
    { type: 'ProgressExecution', fence: 1, at: time(2), until: time(32), progress: null },
    { type: 'NoteStatement', fence: 1, at: time(2), statement: { digest: 'd', reference: 'r' } },
  ])('changes nothing with $type', (command) => {
    expect(decide(command, taken)).toEqual([])
  })
  it('does not affect the current worker', () => {
    expect(decide({ type: 'SucceedExecution', fence: 2, at: time(2), result }, taken)).toEqual([
      { type: 'ExecutionSucceeded', data: { fence: 2, finishedAt: time(2), result } },
    ])
  })
})

describe('a statement at a source', () => {
  const noted = (digest: string, reference: string, fence = 1): ExecutionEvent => ({
    type: 'ExecutionStatementNoted',
    data: { fence, at: time(2), statement: { digest, reference } },
  })
  const running = [accepted, claimed(1, 0, 30)]
  it('is noted by the worker that has the run', () => {
    const statement = { digest: 'd', reference: 'r' }
    expect(decide({ type: 'NoteStatement', fence: 1, at: time(2), statement }, given(...running))).toEqual([
      noted('d', 'r'),
    ])
  })
  it('is known to the next worker by its last reference', () => {
    const state = given(...running, noted('a', '1'), noted('b', '1'), noted('a', '2'), claimed(2, 31, 60))
    expect(state).toMatchObject({
      statements: [
        { digest: 'b', reference: '1' },
        { digest: 'a', reference: '2' },
      ],
    })
  })
  it('is forgotten after four others, and when the run ends or waits', () => {
    const many = [...running, ...['a', 'b', 'c', 'd', 'e'].map((digest) => noted(digest, '1'))]
    expect(given(...many)).toMatchObject({ statements: ['b', 'c', 'd', 'e'].map((digest) => ({ digest })) })
    for (const end of [
      { type: 'ExecutionAborted', data: { finishedAt: time(3), by: 'bob' } },
      { type: 'ExecutionDelayed', data: { fence: 1, at: time(3), until: time(9), key: 'default/l' } },
    ] as const)
      expect(given(...many, end)).not.toHaveProperty('statements')
  })
})

describe('cancelling', () => {
  const cancel: ExecutionCommand = { type: 'CancelExecution', at: time(3), by: 'bob' }
  const aborted: ExecutionEvent = { type: 'ExecutionAborted', data: { finishedAt: time(3), by: 'bob' } }
  it.each([
    ['waits', given(accepted)],
    ['runs', given(accepted, claimed(1, 0, 30))],
  ])('ends a run that %s', (_, state) => {
    expect(decide(cancel, state)).toEqual([aborted])
  })
  it('of an ended run is refused', () => {
    expect(() => decide(cancel, given(accepted, aborted))).toThrow('already finished')
  })
  it('of a missing run is refused', () => {
    expect(() => decide(cancel, noExecution)).toThrow('no such execution')
  })
  it('is noticed by the worker when it reports its result', () => {
    const state = given(accepted, claimed(1, 0, 30), aborted)
    expect(decide({ type: 'SucceedExecution', fence: 1, at: time(4), result }, state)).toEqual([])
  })
})

describe('an abandoned start', () => {
  const abandoned = given({ type: 'ExecutionAbandoned', data: { at: time(1) } })
  it('can no longer be accepted', () => {
    expect(() => decide({ type: 'AcceptExecution', run }, abandoned)).toThrow('was abandoned')
  })
  it('cannot be recorded for an accepted run', () => {
    expect(decide({ type: 'AbandonExecution', at: time(1) }, given(accepted))).toEqual([])
  })
})
