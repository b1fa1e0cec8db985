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
import { type MessageBus, type Publication, publishEach } from '@assay/message-bus'
import type { Clock, Logger, Timers } from '@assay/service-kit'
import { messageOf } from '@assay/service-kit/errors'
import { assetProfilesAggregate } from '../asset-profiles/aggregate.ts'
import { executionAggregate } from '../execution/execution.aggregate.ts'
import type { Execution } from '../execution/execution.ts'
import { dependenceOfRun, hiddenPartsOf } from '../reading/masked-outcomes.ts'
import type { Copies } from '../references/copies.ts'
import type { Versions } from '../versions/versions.ts'
import { executionMessages, isPublic } from './execution-messages.ts'
import { profileMessages } from './profile-messages.ts'

/** Publishes events of runs and profiles from the log, so that none is lost between the log and the bus. */
export function createPublisher(deps: {
  store: EventStore
  checkpoints: Checkpoints
  bus: MessageBus
  /** The local read models of tags, which decide which verdicts depend on protected columns. */
  documents: Copies
  versions: Versions
  timers: Timers
  clock: Clock
  logger: Logger
  makeProcessor?: MakeProcessor
}): Processor {
  const { store, bus, logger, makeProcessor = createProcessor } = deps
  const around = createStatesAround({ store, documents: deps.documents })

  async function dependsOnProtected(tenant: string, state: Execution): Promise<boolean> {
    const known = await deps.versions.of(tenant, state)
    return hiddenPartsOf(known, await dependenceOfRun(deps.documents, tenant, known)) !== undefined
  }

  /** Publishing an event again gives the same messages, unless columns have become protected meanwhile. */
  async function messagesOf(event: RecordedEvent): Promise<readonly Publication[]> {
    if (parseStreamName(event.stream)?.category === assetProfilesAggregate.category)
      return profileMessages(event, (await around(assetProfilesAggregate, event)).after)
    const { after: state } = await around(executionAggregate, event)
    if (!('run' in state)) return []
    const { tenant = '' } = parseStreamName(event.stream) ?? {}
    const isSecret = state.status === 'succeeded' && (await dependsOnProtected(tenant, state))
    return executionMessages(event, state, isSecret)
  }

  return makeProcessor({
    name: 'execution-publisher',
    store,
    checkpoints: deps.checkpoints,
    categories: [executionAggregate.category, assetProfilesAggregate.category],
    handle: (events) => publishEach(bus, events.filter(isPublic), messagesOf),
    onError: (error, { event, parked }) => {
      const about = { stream: event?.stream, revision: event?.revision, parked, error: messageOf(error) }
      logger.error(about, 'an event of a run could not be published')
    },
    timers: deps.timers,
    clock: deps.clock,
  })
}
