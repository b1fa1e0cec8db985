import { setImmediate } from 'node:timers/promises'
import { internalTopics, publicTopics, type TableMessage } from '@assay/contracts'
import {
  type Checkpoints,
  type CommandHandler,
  createProcessor,
  type EventStore,
  type Loaded,
  type MakeProcessor,
  type Processor,
  parseStreamName,
  type RecordedEvent,
} from '@assay/event-store'
import type { Message, MessageBus } from '@assay/message-bus'
import type { Clock, Logger, Timers } from '@assay/service-kit'
import { messageOf } from '@assay/service-kit/errors'
import { assetAggregate } from '../asset/aggregate.ts'
import { type AssetState, liveColumns } from '../asset/asset.ts'
import { sourceTypeOf } from '../types/source-types.ts'
import { assemblyChanges } from './assembly-changes.ts'
import { messageOfEvent } from './message.ts'
import { annotationCategories } from './public-annotation.ts'
import { publicEvent } from './public-event.ts'
import { tagMessages } from './tag-messages.ts'
import { udfMessages } from './udf-messages.ts'

/** States folded before other work gets a turn. */
const statesPerTurn = 16

/**
 * A table as it stands, for the services that keep a copy; `undefined` for a folder. Leaves of STRUCT columns are no
 * columns that a policy can name.
 */
export function tableMessageOf({
  state,
  revision,
}: Pick<Loaded<AssetState>, 'state' | 'revision'>): TableMessage | undefined {
  if (state.status === 'absent' || state.facts === null) return undefined
  const { id, uid, name, placement, facts } = state
  const { assemblyId, assemblyName, sourceTypeId } = placement
  return {
    revision,
    assetId: id,
    uid,
    name,
    assemblyId,
    assemblyName,
    sourceTypeId,
    sourceTypeName: sourceTypeOf(sourceTypeId).name,
    locator: facts.locator,
    columns: liveColumns(state)
      .filter(({ path }) => path.length === 1)
      .map((column) => ({ id: column.id, uid: column.uid, name: column.path[0] ?? '', dataType: column.dataType })),
    isDeleted: state.status === 'vanished',
    assemblyDeleted: state.vanishReason === 'assembly-deleted',
    path: state.naturalPath.slice(1),
  }
}

/** Sends what happened to the bus: at least once, in order, from a checkpoint of its own. */
export function createPublisher(deps: {
  store: EventStore
  checkpoints: Checkpoints
  bus: MessageBus
  handler: CommandHandler
  clock: Clock
  timers: Timers
  logger: Logger
  makeProcessor?: MakeProcessor
}): Processor {
  const { store, checkpoints, bus, handler, clock, timers, logger, makeProcessor = createProcessor } = deps

  /**
   * One message for each event of a table, all with the table as it stands now, and with the position of that state: so a
   * copy is the same whether it was made step by step or from the state alone.
   */
  async function tableMessages(events: readonly RecordedEvent[]): Promise<Message[]> {
    const states = new Map<string, { table: TableMessage; position: string } | undefined>()
    const messages: Message[] = []
    for (const event of events) {
      const name = parseStreamName(event.stream)
      if (name?.category !== assetAggregate.category) continue
      if (!states.has(event.stream)) {
        const loaded = await handler.load(assetAggregate, name.tenant, name.id)
        const table = tableMessageOf(loaded)
        states.set(event.stream, table && { table, position: loaded.position ?? event.position })
        // An embedded store answers without leaving the loop: others get their turn here.
        if (states.size % statesPerTurn === 0) await setImmediate()
      }
      const known = states.get(event.stream)
      if (known === undefined) continue
      const { table, position } = known
      // With the tenant: the topic keeps the last message of each key.
      const key = `${name.tenant}/${table.assetId}`
      messages.push({ ...messageOfEvent(event, key, 'table', table), position })
    }
    return messages
  }

  async function publicMessages(events: readonly RecordedEvent[]): Promise<Message[]> {
    const messages: Message[] = []
    for (const recorded of events) {
      const form = publicEvent(recorded)
      if (form === undefined) continue
      const changes = await assemblyChanges(store, recorded)
      const event = changes === undefined ? form.event : { ...form.event, data: { ...form.data, changes } }
      messages.push(messageOfEvent(recorded, form.key, event.type, event))
    }
    return messages
  }

  return makeProcessor({
    name: 'catalog-publisher',
    store,
    checkpoints,
    categories: ['asset', 'assembly', 'crawl', ...annotationCategories],
    async handle(events) {
      const tables = await tableMessages(events)
      if (tables.length > 0) await bus.publish(internalTopics.tables, tables)
      const tags = await tagMessages(handler, events)
      if (tags.length > 0) await bus.publish(internalTopics.tags, tags)
      for (const [topic, messages] of await udfMessages(handler, events)) await bus.publish(topic, messages)
      const all = await publicMessages(events)
      if (all.length > 0) await bus.publish(publicTopics.assets, all)
    },
    onError(error, { event, parked }) {
      const about = { error: messageOf(error), stream: event?.stream, parked }
      logger.error(about, parked ? 'Events of a stream are no longer published.' : 'Events could not be published yet.')
    },
    timers,
    clock,
  })
}
