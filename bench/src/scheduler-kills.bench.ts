import { setTimeout as sleep } from 'node:timers/promises'
import type { RecordedEvent } from '@assay/event-store'
import { z } from 'zod'
import { load } from './distributed-servers.ts'
import { type PolicySchedule, schedulesOf } from './due-times.ts'
import { countDueTimes, type DueTimesCount, totalOf } from './due-times-count.ts'
import type { BenchRow } from './ratio.ts'
import { startTwoSchedulers, type TwoSchedulers } from './scheduler-kills-system.ts'

const kills = Number(process.env.BENCH_KILLS ?? 200)
const policies = 6
const everySeconds = 5
/** How long the two may take until one of them has the lease. */
const leaseMs = 12_000
/** The next kill comes up to this time later, so that kills hit all steps of a start and of a run. */
const spreadMs = 2_000
const pollMs = 100
const retryMs = 60_000
/** How long due times and runs may take after the last kill: the claim of a killed worker must expire. */
const settleMs = 150_000
const uid = 'lake.people.csv'
const withId = z.object({ rule: z.object({ id: z.int() }) })

/** Repeats `check` until it answers true. False after `limitMs`. */
async function until(limitMs: number, check: () => Promise<boolean>): Promise<boolean> {
  const end = performance.now() + limitMs
  while (!(await check().catch(() => false))) {
    if (performance.now() > end) return false
    await sleep(pollMs)
  }
  return true
}

/** Repeats a call until it succeeds, because services see each other's changes a moment later. */
async function retried<T>(call: () => Promise<T>): Promise<T> {
  for (const end = performance.now() + retryMs; ; await sleep(pollMs)) {
    try {
      return await call()
    } catch (error) {
      if (performance.now() > end) throw error
    }
  }
}

/** Makes policies on one table that are due every five seconds, in different seconds. Returns their ids, in order. */
async function makePolicies({ call, lake }: TwoSchedulers): Promise<number[]> {
  await call('POST', '/assemblies', { name: 'lake', sourceType: 'FILE', configuration: { path: lake } })
  await retried(() => call('GET', `/assets/byUid/${uid}`))
  const ids: number[] = []
  for (let n = 0; n < policies; n++) {
    const rule = { name: `policy ${n}`, backingAsset: { tableAssetUid: uid } }
    const items = [{ measurementType: 'MISSING_VALUES', columnName: 'name' }]
    const { id } = withId.parse(await retried(() => call('POST', '/rules/data-quality', { rule, items }))).rule
    const cronExpression = `${n % everySeconds}-59/${everySeconds} * * * * *`
    await call('PUT', `/rules/${id}/schedule`, { scheduled: true, cronExpression, timeZone: 'UTC' })
    ids.push(id)
  }
  return ids
}

/** A reader of the schedules in the log, which reads only what was added. */
function createLogReader({ store }: TwoSchedulers): () => Promise<Map<number, PolicySchedule>> {
  const events: RecordedEvent[] = []
  let after: string | undefined
  return async () => {
    for (;;) {
      const slice = await store.readAll({ categories: ['policyruns', 'execution'], after, limit: 2_000 })
      // Progress of a run says nothing about its schedule.
      events.push(...slice.events.filter(({ type }) => type !== 'ExecutionProgressed'))
      after = slice.position
      if (slice.atEnd) return schedulesOf(events)
    }
  }
}

/** The due times of a policy from its first one to `end`. Epoch milliseconds. */
function dueTimesOf({ first }: PolicySchedule, end: number): number[] {
  if (first === null) throw new Error('A policy has no schedule.')
  const count = Math.max(0, Math.floor((end - first) / 1000 / everySeconds) + 1)
  return Array.from({ length: count }, (_, n) => first + n * everySeconds * 1000)
}

/**
 * Kills the two in turn, each time while one of them schedules. Returns how many of the kills hit the scheduling one.
 */
async function killInTurn({ schedulers }: TwoSchedulers): Promise<number> {
  const [first, second] = schedulers
  let ofLeader = 0
  for (let kill = 0; kill < kills; kill++) {
    const next = kill % 2 === 0 ? first : second
    await until(leaseMs, async () => (await first.isLeader()) || second.isLeader())
    await sleep(Math.random() * spreadMs)
    if (await next.isLeader()) ofLeader += 1
    await next.killAndRestart()
    if ((kill + 1) % 20 === 0) process.stderr.write(`${kill + 1} kills\n`)
  }
  return ofLeader
}

/** Waits until every due time up to `end` was taken and its run has ended, then counts. */
async function countWhenSettled(system: TwoSchedulers, ids: readonly number[], end: number): Promise<DueTimesCount> {
  const read = createLogReader(system)
  const counted = async () => {
    const schedules = await read()
    const counts = ids.map((id) => {
      const schedule = schedules.get(id)
      if (schedule === undefined) throw new Error(`Policy ${id} is not in the log.`)
      return { isTaken: (schedule.due ?? 0) > end, ...countDueTimes(dueTimesOf(schedule, end), schedule) }
    })
    return { total: totalOf(counts), isTaken: counts.every(({ isTaken }) => isTaken) }
  }
  let last = await counted()
  await until(settleMs, async () => {
    last = await counted()
    return last.isTaken && last.total.open + last.total.lost === 0
  })
  return last.total
}

/**
 * Kills two schedulers in turn: each due time has one run or one recorded skip, except those that the misfire rule
 * makes up for.
 */
export async function benchSchedulerKills(): Promise<BenchRow[]> {
  const system = await startTwoSchedulers()
  try {
    const ids = await makePolicies(system)
    const began = performance.now()
    const ofLeader = await killInTurn(system)
    const seconds = (performance.now() - began) / 1000
    const { lost, doubled, ...count } = await countWhenSettled(system, ids, Date.now())
    const of = `of ${count.dueTimes} due times, two schedulers killed ${kills} times in turn`
    const found = [
      `${count.runs} runs, ${count.skips} skips while a run was open, ${count.madeUp} missed and made up by a later run`,
      `${count.takenOver} runs taken over, ${count.abandoned} starts abandoned, ${count.failed} failed, ${count.open} open`,
      `latest start ${(count.latestMs / 1000).toFixed(1)} s`,
      `${ofLeader} kills met the one with the lease, ${(seconds / kills).toFixed(1)} s a kill, ${load()}`,
    ]
    return [
      { name: `runs lost ${of}`, ratio: lost + count.open, target: '0', detail: found.join('; ') },
      { name: `runs doubled ${of}`, ratio: doubled, target: '0', detail: count.problems.join('; ') },
    ]
  } finally {
    await system.stop()
  }
}
