import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { Write } from '../../../packages/testkit/src/index.ts'
import { type Answer, createCall } from './client.ts'
import type { System } from './system.ts'
import { runWriteName, writePrefix } from './write-names.ts'

const api = '/catalog-server/api'
const quality = `${api}/rules/data-quality`
const pauseMs = { policy: 60, create: 150, run: 300, sample: 500, key: 250, assembly: 1500 }
/** Additional pause after a write without an answer. */
const pauseAfterFailureMs = 150

export interface Load {
  /** The number of writes by outcome. */
  count(outcome: Write['outcome']): number
  /** Waits for the writes in progress. */
  stop(): Promise<void>
}

/** The objects that the load changes, and all its writes so far. */
export interface LoadTargets {
  /** In the order of their answers. */
  writes: Write[]
  /** The number of loads started so far. */
  loads: number
  assemblyId: number
  assetId: number
  source: object
  /** Ids of policies. */
  changed: readonly number[]
  run: readonly number[]
}

/** Retries a write for at most a minute until it is acknowledged: for objects that must exist before a load. */
async function untilAcknowledged(send: () => Promise<Answer>): Promise<Answer> {
  const end = performance.now() + 60_000
  for (;;) {
    const answer = await send()
    if (answer.outcome === 'acknowledged') return answer
    if (performance.now() > end)
      throw new Error(`Not acknowledged in time: ${answer.status} ${JSON.stringify(answer.json)}`)
    await sleep(100)
  }
}

const withId = z.object({ id: z.int() })
/** The parsed parts of answers. */
const answers = {
  policy: z.object({ rule: withId }),
  /** An assembly or an asset. */
  data: z.object({ data: withId }),
  run: z.object({ execution: withId }),
  sample: z.object({ requestId: z.string() }),
}

const policyBody = (name: string) => ({
  rule: { name, backingAsset: { tableAssetUid: 'lake.people.csv' } },
  items: [{ name: 'has a name', measurementType: 'MISSING_VALUES', columnName: 'name' }],
})

/** Creates a crawled and watched table, three policies to change and two to run. */
export async function prepareLoad(system: System): Promise<LoadTargets> {
  const call = createCall(system)
  const source = { name: 'lake', sourceType: 'FILE', configuration: { path: system.lake } }
  const { json: made } = await untilAcknowledged(async () => {
    const answer = await call('POST', `${api}/assemblies`, source)
    // An earlier attempt succeeded, but its answer came too late.
    return answer.status === 409 ? call('GET', `${api}/assemblies/${source.name}`) : answer
  })
  const { json: asset } = await untilAcknowledged(() => call('GET', `${api}/assets/byUid/lake.people.csv`))
  await untilAcknowledged(() => call('POST', `${api}/assets/byUid/lake.people.csv/watch`))
  const make = async (name: string): Promise<number> => {
    let tries = 0
    const { json } = await untilAcknowledged(() => {
      tries += 1
      return call('POST', quality, policyBody(tries === 1 ? name : `${name}, try ${tries}`))
    })
    return answers.policy.parse(json).rule.id
  }
  return {
    writes: [],
    loads: 0,
    assemblyId: answers.data.parse(made).data.id,
    assetId: answers.data.parse(asset).data.id,
    source,
    changed: [await make('changed 1'), await make('changed 2'), await make('changed 3')],
    run: [await make('run 1'), await make('run 2')],
  }
}

/**
 * Writes to every service through the gateway: definitions of policies by three writers, new policies, runs, samples, keys,
 * and descriptions of an assembly. Each write has a unique name, which is in its event too.
 */
export function startLoad(system: Pick<System, 'url' | 'admin'>, targets: LoadTargets): Load {
  const call = createCall(system)
  const { assemblyId, assetId, source, changed } = targets
  targets.loads += 1
  const writes: Write[] = []
  const known = new Set(targets.writes.map(({ name }) => name))
  const stopping = new AbortController()
  let count = 0

  function note(writer: string, name: string | undefined, { outcome }: Answer): void {
    // A request for a sample while another one is open gets the open one.
    if (name === undefined || known.has(name)) return
    known.add(name)
    for (const list of [writes, targets.writes]) list.push({ writer, name, outcome })
  }
  async function repeat(everyMs: number, write: () => Promise<Answer>): Promise<void> {
    while (!stopping.signal.aborted) {
      const { outcome } = await write()
      await sleep(everyMs + (outcome === 'unknown' ? pauseAfterFailureMs : 0), undefined, {
        signal: stopping.signal,
      }).catch(() => undefined)
    }
  }
  /** For writes whose name is in the request. */
  const namedByRequest = (writer: string, everyMs: number, send: (name: string) => Promise<Answer>) =>
    repeat(everyMs, async () => {
      count += 1
      const name = `${writePrefix}${targets.loads}-${count}`
      const answer = await send(name)
      note(writer, name, answer)
      return answer
    })
  /** For writes whose name is in the answer. Those without an answer are not recorded. */
  const namedByAnswer = (
    writer: string,
    everyMs: number,
    send: () => Promise<Answer>,
    writeNameOf: (json: unknown) => string,
  ) =>
    repeat(everyMs, async () => {
      const answer = await send()
      if (answer.outcome === 'acknowledged') note(writer, writeNameOf(answer.json), answer)
      return answer
    })

  const change = (id: number) => (name: string) => call('PUT', `${quality}/${id}`, { rule: { description: name } })
  const run = (id: number) => () => call('POST', `${quality}/${id}/executions`, {})
  const runName = (json: unknown) => runWriteName(answers.run.parse(json).execution.id)
  const key = (displayName: string) =>
    call('POST', '/admin/api/api-keys', { displayName, validTill: Date.now() + 3_600_000, permissions: ['ASSET_VIEW'] })
  const writers = [
    ...changed.map((id, index) => namedByRequest(`policy ${index}`, pauseMs.policy, change(id))),
    namedByRequest('new policies', pauseMs.create, (name) => call('POST', quality, policyBody(name))),
    namedByRequest('keys', pauseMs.key, key),
    namedByRequest('assembly', pauseMs.assembly, (description) =>
      call('PUT', `${api}/assemblies/${assemblyId}`, { ...source, description }),
    ),
    ...targets.run.map((id, index) => namedByAnswer(`runs ${index}`, pauseMs.run, run(id), runName)),
    namedByAnswer(
      'samples',
      pauseMs.sample,
      () => call('POST', `${api}/assets/${assetId}/sample/async`, { invalidateCache: true }),
      (json) => answers.sample.parse(json).requestId,
    ),
  ]
  return {
    count: (outcome) => writes.filter((write) => write.outcome === outcome).length,
    async stop() {
      stopping.abort()
      await Promise.all(writers)
    },
  }
}
