import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { Write } from '../../../packages/testkit/src/index.ts'
import { type Answer, createCall } from './client.ts'
import { executionMark, markPrefix } from './marks.ts'
import type { World } from './world.ts'

const api = '/catalog-server/api'
const quality = `${api}/rules/data-quality`
const pauseMs = { policy: 60, create: 150, run: 300, sample: 500, key: 250, assembly: 1500 }
/** Pause after a write without an answer. */
const troubleMs = 150

export interface Load {
  /** The number of writes by outcome; tells whether writes succeed again. */
  count(outcome: Write['outcome']): number
  /** Waits for the writes in progress. */
  stop(): Promise<void>
}

/** What the load writes to, and all its writes so far. */
export interface Ground {
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

/** Retries for at most a minute until it is acknowledged: for what must exist before a load. */
async function surely(send: () => Promise<Answer>): Promise<Answer> {
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
  /** Of an assembly or an asset. */
  data: z.object({ data: withId }),
  run: z.object({ execution: withId }),
  sample: z.object({ requestId: z.string() }),
}

const policyBody = (name: string) => ({
  rule: { name, backingAsset: { tableAssetUid: 'lake.people.csv' } },
  items: [{ name: 'has a name', measurementType: 'MISSING_VALUES', columnName: 'name' }],
})

/** Creates a table that is crawled and watched, three policies that are changed and two that are run. */
export async function prepareGround(world: World): Promise<Ground> {
  const call = createCall(world)
  const source = { name: 'lake', sourceType: 'FILE', configuration: { path: world.lake } }
  const { json: made } = await surely(async () => {
    const answer = await call('POST', `${api}/assemblies`, source)
    // An earlier attempt succeeded, but its answer came too late.
    return answer.status === 409 ? call('GET', `${api}/assemblies/${source.name}`) : answer
  })
  const { json: asset } = await surely(() => call('GET', `${api}/assets/byUid/lake.people.csv`))
  await surely(() => call('POST', `${api}/assets/byUid/lake.people.csv/watch`))
  const make = async (name: string): Promise<number> => {
    let tries = 0
    const { json } = await surely(() => {
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
 * Writes to every service through the gateway, each with a unique mark by which it is found in the log: definitions of
 * policies by three writers, new policies, runs, samples, keys, and descriptions of an assembly.
 */
export function startLoad(world: Pick<World, 'url' | 'admin'>, ground: Ground): Load {
  const call = createCall(world)
  const { assemblyId, assetId, source, changed } = ground
  ground.loads += 1
  const writes: Write[] = []
  const known = new Set(ground.writes.map(({ mark }) => mark))
  const stopping = new AbortController()
  let marks = 0

  function note(writer: string, mark: string | undefined, { outcome }: Answer): void {
    // A sample that is requested while another is open gets that one.
    if (mark === undefined || known.has(mark)) return
    known.add(mark)
    for (const list of [writes, ground.writes]) list.push({ writer, mark, outcome })
  }
  async function keepOn(everyMs: number, write: () => Promise<Answer>): Promise<void> {
    while (!stopping.signal.aborted) {
      const { outcome } = await write()
      await sleep(everyMs + (outcome === 'unknown' ? troubleMs : 0), undefined, { signal: stopping.signal }).catch(
        () => undefined,
      )
    }
  }
  /** The caller chooses the mark. */
  const marked = (writer: string, everyMs: number, send: (mark: string) => Promise<Answer>) =>
    keepOn(everyMs, async () => {
      marks += 1
      const mark = `${markPrefix}${ground.loads}-${marks}`
      const answer = await send(mark)
      note(writer, mark, answer)
      return answer
    })
  /** The answer has the mark, so writes without an answer are not followed up. */
  const named = (writer: string, everyMs: number, send: () => Promise<Answer>, markOf: (json: unknown) => string) =>
    keepOn(everyMs, async () => {
      const answer = await send()
      if (answer.outcome === 'acknowledged') note(writer, markOf(answer.json), answer)
      return answer
    })

  const change = (id: number) => (mark: string) => call('PUT', `${quality}/${id}`, { rule: { description: mark } })
  const run = (id: number) => () => call('POST', `${quality}/${id}/executions`, {})
  const runMark = (json: unknown) => executionMark(answers.run.parse(json).execution.id)
  const key = (displayName: string) =>
    call('POST', '/admin/api/api-keys', { displayName, validTill: Date.now() + 3_600_000, permissions: ['ASSET_VIEW'] })
  const writers = [
    ...changed.map((id, index) => marked(`policy ${index}`, pauseMs.policy, change(id))),
    marked('new policies', pauseMs.create, (mark) => call('POST', quality, policyBody(mark))),
    marked('keys', pauseMs.key, key),
    marked('assembly', pauseMs.assembly, (description) =>
      call('PUT', `${api}/assemblies/${assemblyId}`, { ...source, description }),
    ),
    ...ground.run.map((id, index) => named(`runs ${index}`, pauseMs.run, run(id), runMark)),
    named(
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
