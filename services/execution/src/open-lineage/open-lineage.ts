import {
  type Checkpoints,
  createProcessor,
  createStatesAround,
  type EventStore,
  type MakeProcessor,
  type Processor,
  parseStreamName,
  type RecordedEvent,
} from '@assay/event-store'
import { type Clock, type Logger, type Metrics, messageOf, type Timers, uuidV5 } from '@assay/service-kit'
import { executionAggregate } from '../execution/execution.aggregate.ts'
import type { ShownRuns } from '../reading/masked-outcomes.ts'
import type { Copies } from '../references/copies.ts'
import { lineageEvent } from './lineage-event.ts'

/** Where OpenLineage events go, and who sends them. */
export interface Lineage {
  receiver: {
    /** Throws `unavailable` if a repetition can help. */
    send(event: object): Promise<'sent' | 'refused'>
  }
  installation: string
  /** Assay's version, part of the producer. */
  version: string
}

const starts = 'ExecutionAccepted'
const ends: readonly string[] = ['ExecutionSucceeded', 'ExecutionFailed', 'ExecutionAborted']
/**
 * Older events are not sent: they are from before OpenLineage was enabled, or the receiver was away for more than a
 * day.
 */
const maxAgeMs = 86_400_000

/** Exists whether or not events are sent, so that dashboards find it. */
export function lineageCounter(metrics: Metrics) {
  return metrics.counter({
    name: 'assay_open_lineage_events_total',
    help: 'OpenLineage events. Outcome: sent, or refused by the receiver.',
    labels: ['outcome'],
  })
}

/**
 * Sends an OpenLineage event for each start and end of a run, at least once and in order. While the receiver does not answer,
 * it waits; an event that the receiver refuses (4xx) is logged and skipped. Verdicts and counts that depend on protected
 * columns are left out.
 */
export function createOpenLineage(deps: {
  lineage: Lineage
  store: EventStore
  checkpoints: Checkpoints
  documents: Copies
  shownRuns: ShownRuns
  timers: Timers
  clock: Clock
  logger: Logger
  sent: ReturnType<typeof lineageCounter>
  makeProcessor?: MakeProcessor
}): Processor {
  const { store, shownRuns, sent, clock, logger, makeProcessor = createProcessor } = deps
  const { receiver, installation, version } = deps.lineage
  const around = createStatesAround({ store, documents: deps.documents })

  async function send(event: object): Promise<void> {
    const outcome = await receiver.send(event)
    sent.add({ outcome })
    if (outcome === 'refused') logger.warn({}, 'an OpenLineage event was refused by its receiver')
  }

  async function handle(recorded: RecordedEvent): Promise<void> {
    if (recorded.type !== starts && !ends.includes(recorded.type)) return
    const at = recorded.metadata.occurredAt
    if (clock.now() - Date.parse(at) > maxAgeMs) return
    const { after: state } = await around(executionAggregate, recorded)
    const { tenant = '' } = parseStreamName(recorded.stream) ?? {}
    if (!('run' in state)) return
    const identity = { tenant, user: 'system', accessKey: '', permissions: new Set<never>() }
    const shown = await shownRuns.one({ identity, seen: new Map(), signal: new AbortController().signal }, state)
    const runId = uuidV5('open-lineage', installation, tenant, String(state.run.executionId))
    await send(lineageEvent(shown, at, { installation, tenant, producer: `urn:assay:${version}`, runId }))
  }

  return makeProcessor({
    name: 'open-lineage',
    store,
    checkpoints: deps.checkpoints,
    categories: [executionAggregate.category],
    async handle(events) {
      for (const event of events) await handle(event)
    },
    onError: (error, { parked }) =>
      logger.warn({ error: messageOf(error), parked }, 'an OpenLineage event was not sent yet'),
    timers: deps.timers,
    clock,
  })
}
