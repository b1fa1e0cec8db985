import {
  type Checkpoints,
  type CommandHandler,
  createProcessor,
  createStatesAround,
  type EventStore,
  eventOf,
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
import type { Incident } from '../incidents/incident.ts'
import { runsOf } from '../incidents/shown-incidents.ts'
import { policyRunsAggregate } from '../policy-runs/policy-runs.aggregate.ts'
import { dependenceOfRun, hiddenPartsOf } from '../reading/masked-outcomes.ts'
import type { Copies } from '../references/copies.ts'
import { seriesDayAggregate } from '../series/series.aggregate.ts'
import type { Versions } from '../versions/versions.ts'
import { executionMessages, feedbackMessages, isPublic } from './execution-messages.ts'
import { hiddenIncidentMessages, incidentMessages, incidentOf } from './incident-messages.ts'
import { profileMessages } from './profile-messages.ts'
import { runSummaryOf } from './run-summary.ts'

/** Publishes events of runs, profiles and incidents from the log, so that none is lost between the log and the bus. */
export function createPublisher(deps: {
  store: EventStore
  checkpoints: Checkpoints
  bus: MessageBus
  /** The local read models of tags, which decide which verdicts depend on protected columns. */
  documents: Copies
  commands: Pick<CommandHandler, 'load'>
  versions: Versions
  timers: Timers
  clock: Clock
  logger: Logger
  makeProcessor?: MakeProcessor
}): Processor {
  const { store, bus, commands, logger, makeProcessor = createProcessor } = deps
  const around = createStatesAround({ store, documents: deps.documents })

  async function dependsOnProtected(tenant: string, state: Execution): Promise<boolean> {
    const known = await deps.versions.of(tenant, state)
    return hiddenPartsOf(known, await dependenceOfRun(deps.documents, tenant, known)) !== undefined
  }

  const runOf = async (tenant: string, id: number) => (await commands.load(executionAggregate, tenant, id)).state

  async function revealsProtected(tenant: string, incident: Incident): Promise<boolean> {
    for (const id of runsOf(incident)) {
      const state = await runOf(tenant, id)
      if (state.status === 'succeeded' && (await dependsOnProtected(tenant, state))) return true
    }
    return false
  }

  async function messagesOfFeedback(recorded: RecordedEvent, tenant: string): Promise<readonly Publication[]> {
    const event = eventOf(seriesDayAggregate, recorded)
    if (event.type !== 'FeedbackGiven') return []
    const { executionId, keys, mark, comment } = event.data
    const state = await runOf(tenant, executionId)
    if (!('run' in state)) return []
    const { before: day } = await around(seriesDayAggregate, recorded)
    const before = day?.marks.find((one) => one.executionId === executionId && keys.includes(one.key))?.mark ?? null
    const isSecret = state.status === 'succeeded' && (await dependsOnProtected(tenant, state))
    return feedbackMessages(recorded, { state, isSecret }, { before, mark, comment })
  }

  /** Publishing an event again gives the same messages, unless columns have become protected meanwhile. */
  async function messagesOf(event: RecordedEvent): Promise<readonly Publication[]> {
    const { tenant = '', category, id } = parseStreamName(event.stream) ?? {}
    if (category === policyRunsAggregate.category) {
      const incident = incidentOf(event)
      if (incident === undefined) return []
      if (await revealsProtected(tenant, incident)) return hiddenIncidentMessages(event, incident, Number(id))
      return incidentMessages(event, Number(id))
    }
    if (category === assetProfilesAggregate.category)
      return profileMessages(event, (await around(assetProfilesAggregate, event)).after)
    if (category === seriesDayAggregate.category) return messagesOfFeedback(event, tenant)
    const { after: state } = await around(executionAggregate, event)
    if (!('run' in state)) return []
    if (state.status !== 'succeeded') return executionMessages(event, state, { isSecret: false })
    const isSecret = await dependsOnProtected(tenant, state)
    const summary = isSecret ? undefined : runSummaryOf(await deps.versions.of(tenant, state))
    return executionMessages(event, state, { isSecret, summary })
  }

  return makeProcessor({
    name: 'execution-publisher',
    store,
    checkpoints: deps.checkpoints,
    categories: [executionAggregate, assetProfilesAggregate, policyRunsAggregate, seriesDayAggregate].map(
      ({ category }) => category,
    ),
    handle: (events) => publishEach(bus, events.filter(isPublic), messagesOf),
    onError: (error, { event, parked }) => {
      const about = { stream: event?.stream, revision: event?.revision, parked, error: messageOf(error) }
      logger.error(about, 'an event of a run could not be published')
    },
    timers: deps.timers,
    clock: deps.clock,
  })
}
