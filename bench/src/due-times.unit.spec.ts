import type { RecordedEvent } from '@assay/event-store'
import { describe, expect, it } from 'vitest'
import { schedulesOf } from './due-times.ts'
import { countDueTimes } from './due-times-count.ts'

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString()
const runs = 'default/policyruns-7'

/** Events in the order of the log, each at the second that it names. */
function log(...events: readonly (readonly [stream: string, type: string, second: number, data: object])[]) {
  const of = ([stream, type, second, data]: (typeof events)[number], index: number): RecordedEvent => ({
    ...{ id: String(index), stream, type, revision: index, position: String(index), recordedAt: at(second) },
    data: { ...data },
    metadata: { tenant: 'default', actor: 'test', schemaVersion: 1, occurredAt: at(second) },
  })
  return events.map(of)
}
const followed = [runs, 'PolicyFollowed', 0, { due: at(5) }] as const
const scheduled = (due: number, nominal = due) => ({ due: at(due), nominal: at(nominal), next: at(nominal + 5) })
const opened = (executionId: number, due: number, nominal = due) =>
  [runs, 'RunOpened', nominal, { executionId, scheduled: scheduled(due, nominal) }] as const
const skipped = (due: number) => [runs, 'RunSkipped', due, { scheduled: scheduled(due) }] as const
const ended = (executionId: number, second: number, how: object | null = {}) =>
  [runs, 'RunEnded', second, { executionId, ended: how }] as const
const accepted = (executionId: number, nominal: number) => {
  const cause = { kind: 'SCHEDULE', nominal: at(nominal) }
  const run = { startedAt: at(nominal), cause, policy: { id: 7 } }
  return [`default/execution-${executionId}`, 'ExecutionAccepted', nominal, { run }] as const
}
const succeeded = (executionId: number, second: number) =>
  [`default/execution-${executionId}`, 'ExecutionSucceeded', second, {}] as const
const whole = (executionId: number, nominal: number) =>
  [
    opened(executionId, nominal),
    accepted(executionId, nominal),
    succeeded(executionId, nominal),
    ended(executionId, nominal),
  ] as const

function countOf(seconds: readonly number[], events: readonly RecordedEvent[]) {
  const schedule = schedulesOf(events).get(7)
  if (schedule === undefined) throw new Error('The policy is not in the log.')
  const times = seconds.map((second) => Date.parse(at(second)))
  return countDueTimes(times, schedule)
}

describe('the count of due times', () => {
  it('given a run, a skip while it is open and a downtime, then nothing is lost or doubled', () => {
    const [open, accept, end, close] = whole(1, 5)
    const events = log(followed, open, accept, skipped(10), end, close, opened(2, 15, 25), accepted(2, 25))
    const expected = { dueTimes: 5, runs: 2, skips: 1, madeUp: 2, lost: 0, doubled: 0, open: 1 }
    expect(countOf([5, 10, 15, 20, 25], events)).toMatchObject(expected)
  })
  it('given a due time with an opened run that was never accepted, then it is lost', () => {
    expect(countOf([5], log(followed, opened(1, 5)))).toMatchObject({ runs: 0, lost: 1, doubled: 0 })
  })
  it('given a start that was abandoned and repeated, then it has one run', () => {
    const events = log(followed, opened(1, 5), ended(1, 6, null), ...whole(2, 5))
    expect(countOf([5], events)).toMatchObject({ runs: 1, abandoned: 1, lost: 0, doubled: 0 })
  })
  it('given an abandoned start whose time is skipped, because a later time was skipped before, then nothing is lost', () => {
    const skip = [runs, 'RunSkipped', 12, { scheduled: { ...scheduled(5), next: at(15) } }] as const
    const before = [followed, opened(1, 5), skipped(10), ended(1, 12, null)] as const
    expect(countOf([5, 10, 15], log(...before, skip, ...whole(2, 15)))).toMatchObject({ skips: 2, lost: 0, doubled: 0 })
    expect(countOf([5, 10, 15], log(...before, ...whole(2, 15)))).toMatchObject({ skips: 1, lost: 1 })
  })
  it('given two runs of one due time, then it is doubled', () => {
    const events = log(followed, ...whole(1, 5), accepted(2, 5))
    expect(countOf([5], events)).toMatchObject({ runs: 2, doubled: 1 })
  })
  it('given a due time that is taken again, then it is doubled', () => {
    expect(countOf([5], log(followed, ...whole(1, 5), skipped(5)))).toMatchObject({ doubled: 2 })
  })
  it('given a skip while no run is open, then its due time is lost', () => {
    expect(countOf([5], log(followed, skipped(5)))).toMatchObject({ skips: 1, lost: 1 })
  })
  it('given a skip right after the end of a run that was open at its time, then nothing is lost', () => {
    const events = log(followed, opened(1, 5), accepted(1, 5), succeeded(1, 10), ended(1, 10), skipped(10))
    expect(countOf([5, 10], events)).toMatchObject({ runs: 1, skips: 1, lost: 0 })
  })
  it('given a due time that the book passes over, then it is lost', () => {
    const events = log(followed, ...whole(1, 5), opened(2, 15), accepted(2, 15))
    expect(countOf([5, 10, 15], events)).toMatchObject({ lost: 1, doubled: 1 })
  })
})
