import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EventStore, NewEvent } from '@assay/event-store'
import { createSqliteEventStore } from '@assay/event-store/sqlite'
import { openDatabase } from '@assay/sqlite'
import { type AssayProcess, startAssay } from '@assay/testkit'
import { type BenchRow, quantile } from './ratio.ts'

const schedules = Number(process.env.BENCH_SCHEDULES ?? 100_000)
const due = Math.min(1_000, schedules / 2)
const api = '/catalog-server/api'
const writers = 64
const idleSeconds = 20
/** Clock ticks a second of /proc, as Linux has it everywhere. */
const ticksPerSecond = 100
const patienceMs = 1_800_000

/** The moment as a cron expression with seconds. */
function cronOf(time: number): string {
  const at = new Date(time)
  const [seconds, minutes, hours] = [at.getUTCSeconds(), at.getUTCMinutes(), at.getUTCHours()]
  return `${seconds} ${minutes} ${hours} ${at.getUTCDate()} ${at.getUTCMonth() + 1} *`
}

async function withLog(data: string, work: (store: EventStore) => Promise<void>): Promise<void> {
  const database = openDatabase({ path: join(data, 'assay.db') })
  try {
    await work(createSqliteEventStore({ database, clock: { now: Date.now } }))
  } finally {
    await database.close()
  }
}

async function together(count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0
  const writer = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: writers }, writer))
}

function scheduleSet(schedule: string): NewEvent {
  const at = new Date().toISOString()
  const data = { scheduled: true, schedule, timeZone: 'UTC', scheduleExecutionType: null, at, by: 'bench' }
  const metadata = { tenant: 'default', actor: 'bench', schemaVersion: 1, occurredAt: at }
  return { id: randomUUID(), type: 'PolicyScheduleSet', data, metadata }
}

/** Policies like the first one, each with a schedule that is due far away. */
async function fill(store: EventStore, first: number): Promise<void> {
  const { events } = await store.read(`default/policy-${first}`)
  const [made] = events
  if (made === undefined) throw new Error('The policy is not in the log.')
  const { type, metadata } = made
  await together(schedules - 1, async (index) => {
    const policyId = first + 1 + index
    const created = { id: randomUUID(), type, metadata, data: { ...made.data, policyId } }
    const yearly = scheduleSet(`${index % 60} ${index % 24} 1 1 *`)
    await store.append(`default/policy-${policyId}`, [created, yearly], 'none')
  })
}

async function setSchedules(store: EventStore, ids: readonly number[], time: number): Promise<void> {
  for (const id of ids) {
    const { events } = await store.read(`default/policy-${id}`)
    await store.append(`default/policy-${id}`, [scheduleSet(cronOf(time))], events.length - 1)
  }
}

function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}

async function nextRun(assay: AssayProcess, id: number): Promise<number> {
  const { json } = await assay.call('GET', `${api}/rules/${id}/schedule`)
  return Date.parse(json.nextRuns?.[0] ?? '')
}

/** When each of the runs was accepted, as the listing tells, once there are as many. */
async function starts(assay: AssayProcess, count: number): Promise<number[]> {
  const size = 500
  const path = (page: number) => `${api}/rules/executions?page=${page}&size=${size}&sortBy=startedAt:asc`
  await assay.until(path(0), ({ json }) => json.meta?.count >= count, patienceMs, 500)
  const times: number[] = []
  for (let page = 0; times.length < count; page++) {
    const { json } = await assay.call('GET', path(page))
    for (const { execution } of json.executions) times.push(Date.parse(execution.startedAt))
  }
  return times
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** P13: how late runs start of which a thousand are due in one second, among 100,000 schedules. */
export async function benchSchedules(): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'assay-bench-schedules-'))
  const [lake, data] = [join(folder, 'lake'), join(folder, 'data')]
  mkdirSync(lake)
  writeFileSync(join(lake, 'a.csv'), 'id,name\n1,x\n')
  try {
    let assay = await startAssay(data, { args: [lake] })
    await assay.until(`${api}/assets/2`, (answer) => answer.status === 200)
    const rule = { name: 'first', backingAsset: { tableAssetUid: 'lake.a.csv' } }
    const items = [{ measurementType: 'MISSING_VALUES', columnName: 'id' }]
    const made = await assay.call('POST', `${api}/rules/data-quality`, { rule, items })
    if (made.status !== 200) throw new Error(made.text)
    const first: number = made.json.rule.id
    await assay.stop()
    await withLog(data, (store) => fill(store, first))

    assay = await startAssay(data)
    const last = first + schedules - 1
    await assay.until(`${api}/rules/${last}/schedule`, (answer) => answer.status === 200, patienceMs, 1_000)
    const listed = `${api}/rules?size=1`
    await assay.until(listed, (answer) => answer.json.meta?.count >= schedules, patienceMs, 1_000)
    await pause(5_000)
    const before = cpuSeconds(assay.pid)
    await pause(idleSeconds * 1_000)
    const idle = (cpuSeconds(assay.pid) - before) / idleSeconds
    await assay.stop()

    const time = Math.ceil(Date.now() / 1_000) * 1_000 + 60_000
    const ids = Array.from({ length: due }, (_, index) => first + 1 + index)
    await withLog(data, (store) => setSchedules(store, ids, time))
    assay = await startAssay(data)
    while ((await nextRun(assay, ids.at(-1) ?? 0)) !== time) await pause(200)
    const late = (await starts(assay, due)).map((at) => at - time)
    await assay.stop()

    const later = Math.ceil(Date.now() / 1_000) * 1_000 + 15_000
    await withLog(data, (store) => setSchedules(store, [last], later))
    assay = await startAssay(data)
    while ((await nextRun(assay, last)) !== later) await pause(200)
    await assay.stop()
    await pause(later - Date.now() + 1_000)
    const restarted = Date.now()
    assay = await startAssay(data)
    const fired = Math.max(...(await starts(assay, due + 1))) - restarted
    await assay.stop()

    const of = `of ${schedules} schedules`
    const p99 = quantile(late, 0.99)
    return [
      {
        name: `P13 ${due} runs due in one second ${of}, lateness p99 in seconds`,
        ratio: p99 / 1_000,
        target: '<= 1',
        detail: `median ${quantile(late, 0.5)} ms, first ${Math.min(...late)} ms, last ${Math.max(...late)} ms`,
      },
      { name: 'P13 restart to first fire in seconds', ratio: fired / 1_000, target: '<= 2', detail: `${fired} ms` },
      {
        name: 'P13 idle CPU of a core',
        ratio: idle,
        target: '<= 0.02',
        detail: `over ${idleSeconds} s, the whole embedded process`,
      },
    ]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
