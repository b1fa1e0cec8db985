import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSqliteDocuments } from '@assay/documents/sqlite'
import { createCommandHandler } from '@assay/event-store'
import { createSqliteCommit, createSqliteEventStore } from '@assay/event-store/sqlite'
import {
  executionCollections,
  executionPolicies,
  policyCopyPut,
  policyRunsAggregate,
  policyRunsCollection,
} from '@assay/execution/service'
import { systemClock, systemTimers, uuidV7 } from '@assay/service-kit/node'
import { openDatabase } from '@assay/sqlite'
import { startAssay } from '@assay/testkit'
import { type BenchRow, quantile } from './ratio.ts'

const schedules = Number(process.env.BENCH_SCHEDULES ?? 100_000)
const due = Math.min(1_000, schedules / 2)
const api = '/catalog-server/api'
const tenant = 'default'
const writers = 256
const idleSeconds = 20
/** Time for the caches of a fresh process before its idle CPU is measured. */
const settleMs = 8_000
/** Time between the start of the process and the due second. */
const leadMs = 30_000
const pollMs = 10
const timeoutMs = 120_000
/** Clock ticks per second of /proc on Linux. */
const ticksPerSecond = 100

/** A cron expression for every day at this time. */
function cronOf(time: number): string {
  const at = new Date(time)
  return `${at.getUTCSeconds()} ${at.getUTCMinutes()} ${at.getUTCHours()} * * *`
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Adds policies with schedules, otherwise equal to the first policy, to the data folder of a stopped process. */
async function setSchedules(data: string, ids: readonly number[], cronExpression: (index: number) => string) {
  const database = openDatabase({ path: join(data, 'assay.db'), synchronous: 'NORMAL' })
  const store = createSqliteEventStore({ database, clock: systemClock })
  const documents = createSqliteDocuments({ database, collections: executionCollections })
  const commit = createSqliteCommit({ database, store, documents })
  const ambient = { clock: systemClock, timers: systemTimers, newId: uuidV7 }
  const commands = createCommandHandler({ store, commit, documents, ...ambient })
  const revision = Date.now()
  const at = new Date(revision).toISOString()
  try {
    const copy = await documents.get(executionPolicies, tenant, 1)
    const policy = (await documents.get(policyRunsCollection, tenant, 1))?.document.policy
    if (!copy || !policy) throw new Error('The execution service does not know the policy yet.')
    const { position } = copy.source
    await concurrently(ids.length, async (index) => {
      const id = ids[index] ?? 0
      const schedule = { cronExpression: cronExpression(index), timeZone: 'UTC' }
      const command = { type: 'FollowPolicy' as const, policy: { ...policy, id, revision, schedule }, at }
      await commands.handle(policyRunsAggregate, { tenant, id, command, context: { actor: 'bench' } })
      const answer = structuredClone(copy.document.policy)
      answer.rule.id = id
      const message = { ...copy.document, revision, policy: answer }
      await documents.put([policyCopyPut(tenant, message, position)])
    })
  } finally {
    await documents.close()
    await store.close()
    await database.close()
  }
}

async function concurrently(count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0
  const writer = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: writers }, writer))
}

/** The times at which another reader of the log sees each of the next `count` accepted runs. */
async function starts(data: string, count: number): Promise<number[]> {
  const database = openDatabase({ path: join(data, 'assay.db') })
  try {
    const head = database.prepare('SELECT max(position) AS position FROM event')
    const accepted = database.prepare(
      "SELECT position FROM event WHERE position > ? AND position <= ? AND type = 'ExecutionAccepted'",
    )
    const times: number[] = []
    const end = Date.now() + timeoutMs
    for (let from = Number(head.get()?.position); times.length < count; await pause(pollMs)) {
      if (Date.now() > end) throw new Error(`Only ${times.length} of ${count} runs were accepted.`)
      const to = Number(head.get()?.position)
      for (const _ of accepted.all(from, to)) times.push(Date.now())
      from = to
    }
    return times
  } finally {
    await database.close()
  }
}

function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}

/** P13: how late runs start if a thousand are due in one second, among 100,000 schedules. */
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
    await assay.until(`${api}/rules/1/schedule`, (answer) => answer.status === 200)
    await assay.stop()

    const ids = Array.from({ length: schedules }, (_, index) => index + 2)
    await setSchedules(data, ids, (index) => `${index % 60} ${index % 24} 1 1 *`)
    assay = await startAssay(data)
    await pause(settleMs)
    const before = cpuSeconds(assay.pid)
    await pause(idleSeconds * 1_000)
    const idle = (cpuSeconds(assay.pid) - before) / idleSeconds
    await assay.stop()

    await setSchedules(data, ids.slice(-1), () => cronOf(Date.now() + 2_000))
    await pause(3_000)
    const restarted = Date.now()
    const first = starts(data, 1)
    assay = await startAssay(data)
    const started = Math.max(...(await first)) - restarted
    await assay.stop()

    const time = Math.ceil(Date.now() / 1_000) * 1_000 + leadMs
    await setSchedules(data, ids.slice(0, due), () => cronOf(time))
    assay = await startAssay(data)
    if (Date.now() > time - settleMs / 2) throw new Error('The process started too late for the due second.')
    const used = cpuSeconds(assay.pid)
    const late = (await starts(data, due)).map((at) => at - time)
    const cpuMs = ((cpuSeconds(assay.pid) - used) * 1000) / due
    await assay.stop()

    const of = `of ${schedules} schedules`
    const p99 = quantile(late, 0.99)
    return [
      {
        name: `P13 ${due} runs due in one second ${of}, lateness p99 in seconds`,
        ratio: p99 / 1_000,
        target: '<= 1',
        detail: `median ${quantile(late, 0.5)} ms, first ${Math.min(...late)} ms, last ${Math.max(...late)} ms; ${cpuMs.toFixed(1)} ms of CPU a run, with the waiting before`,
      },
      {
        name: 'P13 restart to the first scheduled run in seconds',
        ratio: started / 1_000,
        target: '<= 2',
        detail: `${started} ms`,
      },
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
