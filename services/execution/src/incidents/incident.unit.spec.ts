import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  decide,
  type EndedRun,
  evolve,
  noRuns,
  type PolicyRuns,
  type PolicyRunsCommand,
} from '../policy-runs/policy-runs.ts'
import { type IncidentChange, statusOf } from './incident.ts'

const time = (run: number) => new Date(Date.UTC(2026, 10, 20, 10, run)).toISOString()
const ends = (executionId: number, resultStatus: EndedRun['resultStatus']): PolicyRunsCommand => {
  const finishedAt = time(executionId)
  const executionStatus = resultStatus === 'ABORTED' ? 'ABORTED' : 'SUCCESSFUL'
  const ended = { executionId, startedAt: finishedAt, finishedAt, executionStatus, resultStatus } as const
  return {
    type: 'EndRun',
    executionId,
    at: finishedAt,
    ended: { ...ended, policyName: 'p', assets: [{ id: 11, uid: 'a' }] },
  }
}
const typesOf = (command: PolicyRunsCommand, state: PolicyRuns) => decide(command, state).map(({ type }) => type)
const after = (state: PolicyRuns, command: PolicyRunsCommand) => decide(command, state).reduce(evolve, state)
const open = (state: PolicyRuns, executionId: number) =>
  after(state, { type: 'OpenRun', executionId, at: time(executionId) })
/** The state after runs 1, 2, ... with these verdicts. */
const runs = (...verdicts: EndedRun['resultStatus'][]) =>
  verdicts.reduce((state, verdict, at) => after(open(state, at + 1), ends(at + 1, verdict)), noRuns)
const status = ({ incident }: PolicyRuns) => incident && statusOf(incident)
const changes = (incidentId: number, change: IncidentChange, at = time(9)): PolicyRunsCommand => ({
  ...{ type: 'ChangeIncident', incidentId, change, by: 'ann', at },
})

describe('the end of a run', () => {
  it.each<[EndedRun['resultStatus'][], EndedRun['resultStatus'], string[]]>([
    [[], 'SUCCESSFUL', []],
    [[], 'WARNING', ['IncidentOpened']],
    [[], 'ERRORED', ['IncidentOpened']],
    [['WARNING'], 'WARNING', ['IncidentContinued']],
    [['WARNING'], 'ERRORED', ['IncidentWorsened']],
    [['WARNING', 'ERRORED', 'WARNING'], 'ERRORED', ['IncidentContinued']],
    [['ERRORED'], 'SUCCESSFUL', ['IncidentRecovered']],
    [['ERRORED', 'SUCCESSFUL'], 'SUCCESSFUL', []],
    [['ERRORED', 'SUCCESSFUL'], 'WARNING', ['IncidentOpened']],
    [['ERRORED'], 'ABORTED', []],
  ])('given runs with %j, when one ends with %s, then the events of the incident are %j', (before, verdict, types) => {
    const state = open(runs(...before), 8)
    expect(typesOf(ends(8, verdict), state)).toEqual(['RunEnded', ...types])
    expect(typesOf(ends(8, verdict), after(state, ends(8, verdict)))).toEqual([])
  })

  it('given an abandoned start, then the incident stays as it is', () => {
    const state = open(runs('WARNING'), 8)
    expect(typesOf({ type: 'EndRun', executionId: 8, at: time(8), ended: null }, state)).toEqual(['RunEnded'])
  })

  it('given many alarms, then the incident names the first run and the newest ones', () => {
    const { incident } = runs('SUCCESSFUL', ...Array.from({ length: 50 }, () => 'WARNING' as const), 'ERRORED')
    expect(incident).toMatchObject({ id: 2, count: 51, verdict: 'ERRORED', openedAt: time(2), lastAt: time(52) })
    expect(incident?.executions).toEqual([2, ...Array.from({ length: 19 }, (_, at) => 34 + at)])
    expect(incident?.lastGood).toBe(1)
  })

  it('given any verdicts, with ends that are reported again later, then each alarm counts once, in one open incident', () => {
    const verdict = fc.constantFrom<EndedRun['resultStatus'][]>('SUCCESSFUL', 'WARNING', 'ERRORED', 'ABORTED')
    fc.assert(
      fc.property(fc.array(verdict, { maxLength: 30 }), fc.infiniteStream(fc.nat(29)), (verdicts, repeats) => {
        let state = noRuns
        const counts = new Map<number, number>()
        for (const [at, each] of verdicts.entries()) {
          state = after(open(state, at + 1), ends(at + 1, each))
          const again = repeats.next().value ?? 0
          state = after(state, ends((again % (at + 1)) + 1, verdicts[again % (at + 1)] ?? each))
          if (state.incident) counts.set(state.incident.id, state.incident.count)
        }
        const alarms = verdicts.filter((each) => each === 'WARNING' || each === 'ERRORED').length
        expect([...counts.values()].reduce((sum, count) => sum + count, 0)).toBe(alarms)
        const episodes = verdicts.filter((each) => each !== 'ABORTED').map((each) => each !== 'SUCCESSFUL')
        expect(counts.size).toBe(episodes.filter((isAlarm, at) => isAlarm && !episodes[at - 1]).length)
      }),
    )
  })
})

describe('a change of an incident', () => {
  const alarmed = runs('WARNING')
  it('acknowledges, assigns and snoozes it, and repeating the change records nothing', () => {
    const change = changes(1, { acknowledged: true, assignee: 'bob', snoozedUntil: time(30) })
    expect(typesOf(change, alarmed)).toEqual(['IncidentAcknowledged', 'IncidentSnoozed', 'IncidentAssigned'])
    const state = after(alarmed, change)
    expect(state.incident).toMatchObject({ acknowledged: { by: 'ann', at: time(9) }, assignee: 'bob' })
    expect(status(state)).toBe('SNOOZED')
    expect(typesOf(change, state)).toEqual([])
    expect(typesOf(changes(1, { snoozedUntil: null, acknowledged: false, assignee: null }), state)).toEqual([
      'IncidentAcknowledgementWithdrawn',
      'IncidentSnoozeEnded',
      'IncidentAssigned',
    ])
  })
  it('ends a snooze at its time, not earlier, and continues it when it worsens', () => {
    const snoozed = after(alarmed, changes(1, { acknowledged: true, snoozedUntil: time(30) }))
    expect(status(after(open(snoozed, 2), ends(2, 'ERRORED')))).toBe('SNOOZED')
    expect(typesOf({ type: 'EndSnooze', at: time(29) }, snoozed)).toEqual([])
    expect(status(after(snoozed, { type: 'EndSnooze', at: time(30) }))).toBe('ACKNOWLEDGED')
    expect(() => decide(changes(1, { snoozedUntil: time(9) }), alarmed)).toThrow('must be in the future')
  })
  it('closes it with a cause, so that the next alarm opens another one', () => {
    const closed = after(alarmed, changes(1, { closed: { cause: 'late file' } }))
    expect([status(closed), closed.incident?.closed]).toEqual([
      'CLOSED',
      { by: 'ann', at: time(9), cause: 'late file' },
    ])
    expect(typesOf(changes(1, { closed: { cause: null } }), closed)).toEqual([])
    expect(() => decide(changes(1, { closed: { cause: 'another' } }), closed)).toThrow('is closed')
    expect(() => decide(changes(1, { assignee: 'bob' }), closed)).toThrow('is closed')
    const next = after(open(closed, 2), ends(2, 'WARNING'))
    expect([status(next), next.incident?.id]).toEqual(['OPEN', 2])
    expect(() => decide(changes(1, { closed: { cause: 'another' } }), next)).toThrow('followed by a later incident')
  })
  it('only closes a recovered one, and its recovery ended its snooze', () => {
    const snoozed = after(alarmed, changes(1, { snoozedUntil: time(30) }))
    const recovered = after(open(snoozed, 2), ends(2, 'SUCCESSFUL'))
    expect(status(recovered)).toBe('RECOVERED')
    expect(recovered.incident?.snoozedUntil).toBeNull()
    expect(() => decide(changes(1, { acknowledged: true }), recovered)).toThrow('can only be closed')
    expect(status(after(recovered, changes(1, { closed: { cause: 'late file' } })))).toBe('CLOSED')
  })
})
