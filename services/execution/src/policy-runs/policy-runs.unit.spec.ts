import { dueBook } from '@assay/work'
import { describe, expect, it } from 'vitest'
import { policyFixture } from '../testing/fixtures.ts'
import { followedPolicyOf } from './followed-policy.ts'
import { policyRunsDocuments, policyRunsEventDocuments } from './policy-runs.documents.ts'
import { decide, evolve, noRuns, type PolicyRuns, type PolicyRunsCommand } from './policy-runs.ts'

const at = '2026-11-20T10:00:00.000Z'
const open5 = evolve(noRuns, { type: 'RunOpened', data: { executionId: 5, at } })

describe('the runs of a policy', () => {
  it('given no open run, when a run is opened, then it is recorded', () => {
    expect(decide({ type: 'OpenRun', executionId: 5, at }, noRuns)).toEqual([
      { type: 'RunOpened', data: { executionId: 5, at } },
    ])
  })
  it('given an open run, when another is opened, then it is refused', () => {
    expect(() => decide({ type: 'OpenRun', executionId: 6, at }, open5)).toThrow(
      'The previous execution (5) of this policy has not completed',
    )
  })
  it('given an open run, when it is opened again, then nothing is recorded', () => {
    expect(decide({ type: 'OpenRun', executionId: 5, at }, open5)).toEqual([])
  })
  it('given an open run, when it ends, then the next can be opened', () => {
    const [ended] = decide({ type: 'EndRun', executionId: 5, at, ended: null }, open5)
    expect(ended && evolve(open5, ended)).toEqual(noRuns)
  })
  it('given an open run, when another run ends, then it stays open', () => {
    expect(decide({ type: 'EndRun', executionId: 4, at, ended: null }, open5)).toEqual([])
  })
})

const after = (state: PolicyRuns, command: PolicyRunsCommand) => decide(command, state).reduce(evolve, state)
const scheduled = (revision: number, schedule = '30 * * * *') =>
  followedPolicyOf(policyFixture({ scheduled: true, schedule }).policy, revision, [2])
const followed = after(noRuns, { type: 'FollowPolicy', policy: scheduled(0), at })
const due = { due: '2026-11-20T10:30:00.000Z', nominal: '2026-11-20T10:30:00.000Z', next: '2026-11-20T11:30:00.000Z' }

describe('a policy with a schedule', () => {
  it('keeps its due time, unless its schedule changes', () => {
    expect(followed.due).toBe(due.due)
    const later = { type: 'FollowPolicy' as const, policy: scheduled(1), at: '2026-11-20T10:45:00.000Z' }
    expect(after(followed, later).due).toBe(due.due)
    expect(after(followed, { ...later, policy: scheduled(1, '0 12 * * *') }).due).toBe('2026-11-20T12:00:00.000Z')
    expect(after(followed, { ...later, policy: { ...scheduled(1), schedule: null } }).due).toBeNull()
  })
  it('ignores an older message', () => {
    expect(decide({ type: 'FollowPolicy', policy: scheduled(0), at }, followed)).toEqual([])
  })
  it('gets its next due time when its run starts, and only one scheduler can start the run', () => {
    const opened = after(followed, { type: 'OpenRun', executionId: 5, at, scheduled: due })
    expect(opened).toMatchObject({ due: due.next, open: { executionId: 5 } })
    expect(() => decide({ type: 'OpenRun', executionId: 6, at, scheduled: due }, opened)).toThrow('already started')
    const ended = {
      executionId: 5,
      startedAt: at,
      finishedAt: at,
      executionStatus: 'FAILED' as const,
      resultStatus: 'ERRORED' as const,
      policyName: 'orders are sound',
      assets: [{ id: 11, uid: 'sales.orders.csv' }],
    }
    const closed = after(opened, { type: 'EndRun', executionId: 5, at, ended })
    expect(closed).toMatchObject({ due: due.next, open: null, latest: ended })
    expect(() => decide({ type: 'OpenRun', executionId: 6, at, scheduled: due }, closed)).toThrow('already started')
  })
  it('is due again after an abandoned start, unless its schedule changed', () => {
    const opened = after(followed, { type: 'OpenRun', executionId: 5, at, scheduled: due })
    const died: PolicyRunsCommand = { type: 'EndRun', executionId: 5, at, ended: null }
    expect(after(opened, died)).toMatchObject({ due: due.due, open: null, latest: null })
    const changed = after(opened, { type: 'FollowPolicy', policy: scheduled(1, '0 12 * * *'), at })
    expect(after(changed, died).due).toBe('2026-11-20T12:00:00.000Z')
  })
  it('given an abandoned start, when a later time was skipped meanwhile, then the abandoned run is a skip too', () => {
    const later = { due: due.next, nominal: due.next, next: '2026-11-20T12:30:00.000Z' }
    const opened = after(followed, { type: 'OpenRun', executionId: 5, at, scheduled: due })
    const skipped = after(opened, { type: 'SkipRun', scheduled: later, reason: 'open' })
    const closed = after(skipped, { type: 'EndRun', executionId: 5, at, ended: null })
    expect(closed).toMatchObject({ due: later.next, open: null })
    expect(closed.skipped).toEqual([
      { nominalTime: due.nominal, reason: expect.stringContaining('interrupted') },
      { nominalTime: later.nominal, reason: 'open' },
    ])
  })
  it('records skipped runs, newest first and at most twenty', () => {
    let state = followed
    for (let hour = 0; hour < 25; hour += 1) {
      const nominal = `${hour}`
      state = after(state, {
        type: 'SkipRun',
        scheduled: { ...due, due: state.due ?? '', nominal, next: nominal },
        reason: 'r',
      })
    }
    expect(state.skipped).toHaveLength(20)
    expect(state.skipped[0]).toEqual({ nominalTime: '24', reason: 'r' })
    expect(decide({ type: 'SkipRun', scheduled: due, reason: 'r' }, state)).toEqual([])
  })
})

describe('the targets of a policy', () => {
  const changed = (revision: number, target: string): PolicyRunsCommand => {
    const policy = { ...scheduled(revision), targets: ['11', target] }
    return { type: 'FollowPolicy', policy, at }
  }
  it('given other targets, then the documents of the former targets are removed', () => {
    const [event] = decide(changed(1, '11/order_id'), followed)
    if (event === undefined) throw new Error('There is no event.')
    const source = { revision: 1, position: '1' }
    const puts = policyRunsEventDocuments(event, { tenant: 't', id: '7' }, source)
    expect(puts.map(({ id, document }) => [id, document])).toEqual([
      ['7/11/amount', null],
      ['7/11', { policyId: 7, target: '11' }],
      ['7/11/order_id', { policyId: 7, target: '11/order_id' }],
    ])
    const opened = decide({ type: 'OpenRun', executionId: 5, at }, followed)
    const runPuts = opened.flatMap((each) => policyRunsEventDocuments(each, { tenant: 't', id: '7' }, source))
    expect(runPuts.map(({ id }) => id)).toEqual(['policy run/t/7/5'])
  })
  it('given very many changes, then its state is no larger than after the first one', () => {
    let state = followed
    for (let revision = 1; revision <= 500; revision++) state = after(state, changed(revision, `11/column${revision}`))
    expect(JSON.stringify(state).length).toBeLessThan(JSON.stringify(followed).length + 50)
  })
})

describe('a policy whose table got another schema', () => {
  const trigger = { kind: 'CRAWL' as const, assetId: 11, revision: 3, at }
  const triggered = after(followed, { type: 'TriggerRun', trigger })

  it('has a run due immediately, and only one if the message is delivered again', () => {
    expect(triggered.triggered).toEqual({ trigger, isDue: true })
    expect(decide({ type: 'TriggerRun', trigger }, triggered)).toEqual([])
    expect(decide({ type: 'TriggerRun', trigger: { ...trigger, revision: 2 } }, triggered)).toEqual([])
    expect(decide({ type: 'TriggerRun', trigger: { ...trigger, revision: 4 } }, triggered)).toHaveLength(1)
  })
  it('runs once for the new schema, even after an abandoned start, and never while it is disabled', () => {
    const opened = after(triggered, { type: 'OpenRun', executionId: 5, at, trigger })
    expect(opened.triggered).toEqual({ trigger, isDue: false })
    expect(() => decide({ type: 'OpenRun', executionId: 6, at, trigger }, opened)).toThrow('already started')
    expect(after(opened, { type: 'EndRun', executionId: 5, at, ended: null }).triggered?.isDue).toBe(true)
    const disabled = after(noRuns, { type: 'FollowPolicy', policy: { ...scheduled(0), enabled: false }, at })
    expect(decide({ type: 'TriggerRun', trigger }, disabled)).toEqual([])
  })
  it('counts a crawl once, also if it is delivered again after a profile', () => {
    const profile = { kind: 'PROFILE' as const, assetId: 11, profileId: 1, at }
    const state = after(triggered, { type: 'TriggerRun', trigger: profile })
    expect(state.triggered).toMatchObject({ trigger: profile, isDue: true })
    for (const again of [trigger, profile]) expect(decide({ type: 'TriggerRun', trigger: again }, state)).toEqual([])
    const next = after(state, { type: 'TriggerRun', trigger: { ...trigger, revision: 4 } })
    expect(decide({ type: 'TriggerRun', trigger: profile }, next)).toEqual([])
    expect(decide({ type: 'TriggerRun', trigger: { ...profile, profileId: 2 } }, next)).toHaveLength(1)
    expect(decide({ type: 'TriggerRun', trigger: { ...trigger, assetId: 12 } }, next)).toHaveLength(1)
  })
  it('drops the trigger if the policy moves to another table', () => {
    const policy = { ...scheduled(1), targets: ['21'] }
    expect(after(triggered, { type: 'FollowPolicy', policy, at }).triggered).toEqual({ trigger, isDue: false })
    expect(after(triggered, { type: 'FollowPolicy', policy: scheduled(1), at }).triggered?.isDue).toBe(true)
  })
  it('records the trigger as skipped while another run is open', () => {
    const open = after(triggered, { type: 'OpenRun', executionId: 5, at })
    expect(() => decide({ type: 'OpenRun', executionId: 6, at, trigger }, open)).toThrow('not completed')
    const skipped = after(open, { type: 'SkipTrigger', trigger, reason: 'busy' })
    expect(skipped).toMatchObject({ triggered: { isDue: false }, skipped: [{ nominalTime: at, reason: 'busy' }] })
  })
})

describe('a policy with deadlines', () => {
  const check = '2026-11-20T10:00:30.000Z'
  const deadline = '2026-11-21T06:00:01.000Z'
  const policy = (revision: number, changes: Partial<typeof followed.policy & object> = {}) => ({
    ...scheduled(revision),
    ...changes,
  })
  const watched = after(noRuns, { type: 'FollowPolicy', policy: policy(0), at, check })
  const ended = {
    ...{ executionId: 5, startedAt: at, finishedAt: at, deadline, policyName: 'orders', assets: [] },
    ...{ executionStatus: 'SUCCESSFUL' as const, resultStatus: 'SUCCESSFUL' as const },
  }
  const run = (state: PolicyRuns, end: object = {}, why: { deadline?: string } = {}) =>
    after(after(state, { type: 'OpenRun', executionId: 5, at, ...why }), {
      ...{ type: 'EndRun', executionId: 5, at },
      ended: { ...ended, ...end },
    })
  const dueOf = (state: PolicyRuns) =>
    policyRunsDocuments(state, { tenant: 't', id: 7 }, { revision: 1, position: '1' })
      .filter(({ id }) => String(id).startsWith('policy deadline/'))
      .map(({ document }) => dueBook.schema.nullable().parse(document)?.nextAt ?? null)

  it('runs soon after it was created, and after each new version, because only a run knows the deadline', () => {
    expect(dueOf(watched)).toEqual([Date.parse(check)])
    const known = run(watched)
    const later = '2026-11-20T12:00:00.000Z'
    const again = (version: number): PolicyRunsCommand => ({
      type: 'FollowPolicy',
      policy: policy(1, { version }),
      at,
      check: later,
    })
    expect(after(known, again(policy(1).version)).watch).toEqual({ deadline })
    expect(after(known, again(9)).watch).toEqual({ deadline: later })
  })
  it('is due at the deadline of its last run, unless it is disabled or a run is open', () => {
    const known = run(watched)
    expect(dueOf(known)).toEqual([Date.parse(deadline)])
    expect(dueOf(after(known, { type: 'OpenRun', executionId: 6, at }))).toEqual([null])
    const disabled = policy(1, { enabled: false })
    expect(dueOf(after(known, { type: 'FollowPolicy', policy: disabled, at, check }))).toEqual([null])
  })
  it('runs once for each deadline, even after an abandoned start', () => {
    const known = run(watched)
    const opened = after(known, { type: 'OpenRun', executionId: 6, at, deadline })
    expect(() => decide({ type: 'OpenRun', executionId: 7, at, deadline }, opened)).toThrow('already started')
    expect(after(opened, { type: 'EndRun', executionId: 6, at, ended: null }).watch).toEqual({ deadline })
    const fired = after(opened, {
      type: 'EndRun',
      executionId: 6,
      at,
      ended: { ...ended, executionId: 6, deadline: check },
    })
    expect(fired.watch).toEqual({ deadline: check })
    const skipped = after(known, { type: 'SkipDeadline', deadline, reason: 'busy' })
    expect(skipped).toMatchObject({ watch: { deadline: null }, skipped: [{ nominalTime: deadline, reason: 'busy' }] })
  })
  it('does not skip a deadline while a run that covers it is open', () => {
    const opened = after(run(watched), { type: 'OpenRun', executionId: 6, at })
    expect(decide({ type: 'SkipDeadline', deadline, reason: 'busy' }, opened)).toEqual([])
  })
  it('runs again an hour after a run at a deadline that could not be executed', () => {
    const failed = run(run(watched), { executionStatus: 'FAILED', deadline: undefined }, { deadline })
    expect(failed.watch).toEqual({ deadline: '2026-11-20T11:00:00.000Z' })
  })
  it('keeps a deadline that a failed run or a run of some items does not replace', () => {
    const known = run(watched)
    expect(run(known, { executionStatus: 'FAILED', deadline: undefined }).watch).toEqual({ deadline })
    expect(run(known, { isPartial: true, deadline: '2026-12-01T00:00:00.000Z' }).watch).toEqual({ deadline })
    expect(run(known, { isPartial: true, deadline: check }).watch).toEqual({ deadline: check })
  })
})
