import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createEventStoreDb } from '../../../packages/event-store/src/eventstoredb/index.ts'
import { createTopicReader } from '../../../packages/message-bus/src/testing/topic-reader.ts'
import { systemTimers } from '../../../packages/service-kit/src/node.ts'
import { check, type Facts, type Finding } from '../../../packages/testkit/src/index.ts'
import { keptPerTenant } from '../../../services/notification/src/events/collection.ts'
import { rebuiltAggregates } from '../../../services/standalone/src/read-models.ts'
import { auditedWrites } from './audit.ts'
import { asExpected, expectedEffects, expectedMessages } from './expected.ts'
import { effectsOf, loggedEvents, runsOf } from './from-log.ts'
import { expectedKeptEvents } from './kept-events.ts'
import { knownKeys } from './key-uses.ts'
import type { LoadTargets } from './load.ts'
import { createLogCopy } from './log-copy.ts'
import { openLiveReadModels, rebuiltReadModels } from './read-models.ts'
import type { System } from './system.ts'

/** How long work in progress may take: a lease, a Kafka session and a claim of a run must expire. */
const defaultTimeoutMs = 100_000

export interface SettleOptions {
  timeoutMs?: number
  /** Records that a test itself has put on a topic, by `recordName`. */
  isForeign?: (name: string) => boolean
}

/** The name of a record: its position. */
export const recordName = (record: { topic: string; partition: number; offset: number }): string =>
  `${record.topic} ${record.partition} ${record.offset}`

export interface Settled {
  findings: Finding[]
  facts: Facts
  /** The time until there were no findings. */
  tookMs: number
}

/**
 * Checks until there are no findings, or a permanent one, or the time is over. The load must have been stopped. Reads
 * the servers directly; only Kafka's brokers redirect clients to the proxy, which must work.
 */
export async function checkUntilSettled(
  system: System,
  targets: Pick<LoadTargets, 'writes'>,
  { isForeign = () => false, timeoutMs = defaultTimeoutMs }: SettleOptions = {},
): Promise<Settled> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-checker-'))
  const store = createEventStoreDb({ connectionString: system.events.connectionString, timers: systemTimers })
  const topics = createTopicReader(system.kafka.brokers)
  const live = await openLiveReadModels(system.mongo.url)
  const log = createLogCopy(store, [...new Set(rebuiltAggregates.map(({ category }) => category))])
  let tries = 0

  async function read(): Promise<Facts> {
    tries += 1
    await log.follow()
    const sent = await expectedMessages(log)
    const records = await topics.read((topic) => topic.startsWith('assay.'))
    const rebuilt = await rebuiltReadModels(log, sent, folder, `${tries}.db`)
    return {
      writes: targets.writes,
      log: loggedEvents(log.events),
      expectedMessages: asExpected(sent),
      topics: records.filter((record) => !isForeign(recordName(record))),
      expectedEffects: expectedEffects(log.events, sent),
      effects: effectsOf(log.events),
      documents: { live: await live.texts(), rebuilt },
      audit: { writes: auditedWrites(log.events), lines: await live.auditLines() },
      keptEvents: {
        expected: expectedKeptEvents(sent),
        live: await live.keptEvents(),
        capacity: keptPerTenant,
        unordered: new Set(records.filter((record) => isForeign(recordName(record))).map(({ id }) => id)),
      },
      keyUses: { known: knownKeys(log.events), seen: await live.keyUses() },
      runs: runsOf(log.events),
      parked: await live.parked(),
      now: Date.now(),
    }
  }

  const began = performance.now()
  try {
    for (;;) {
      // Decided before the check, which takes long after many rounds: messages that it misses may arrive meanwhile.
      const isLast = performance.now() - began > timeoutMs
      const facts = await read()
      const findings = check(facts)
      const tookMs = Math.round(performance.now() - began)
      const isOver = isLast || findings.some(({ isTransient }) => !isTransient)
      if (findings.length === 0 || isOver) return { findings, facts, tookMs }
      await sleep(500)
    }
  } finally {
    await Promise.all([topics.close(), live.close(), store.close()])
    await rm(folder, { recursive: true, force: true })
  }
}
