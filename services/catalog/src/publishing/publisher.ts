import { setImmediate } from 'node:timers/promises'
import {
  type AssetType,
  type ContainerMessage,
  internalTopics,
  publicTopics,
  type TableMessage,
} from '@assay/contracts'
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
import { type AssetState, liveColumns, type VanishReason } from '../asset/asset.ts'
import { assetTypeOf, columnTypeOf } from '../types/asset-types.ts'
import { sourceTypeOf } from '../types/source-types.ts'
import { assemblyChanges } from './assembly-changes.ts'
import { messageOfEvent } from './message.ts'
import { annotationCategories } from './public-annotation.ts'
import { publicEvent } from './public-event.ts'
import { tagMessages } from './tag-messages.ts'
import { udfMessages } from './udf-messages.ts'

/** States folded before other work gets a turn. */
const statesPerTurn = 16

const shortType = ({ id, name }: AssetType) => ({ id, name })

function deletion({ vanishReason }: { vanishReason: VanishReason | null }): Pick<TableMessage, 'deletedWith'> {
  if (vanishReason === 'assembly-deleted') return { deletedWith: 'assembly' }
  return vanishReason === 'view-deleted' ? { deletedWith: 'view' } : {}
}

/**
 * The current table, for the local read models of other services; `undefined` for a folder. Leaves of STRUCT columns
 * are not columns that a policy can name.
 */
export function tableMessageOf({
  state,
  revision,
}: Pick<Loaded<AssetState>, 'state' | 'revision'>): TableMessage | undefined {
  if (state.status === 'absent' || state.facts === null) return undefined
  const { id, uid, name, placement, facts } = state
  const { assemblyId, assemblyName, sourceTypeId } = placement
  const columns = liveColumns(state)
  const leaves = columns.filter(({ path }) => path.length > 1)
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
    columns: columns
      .filter(({ path }) => path.length === 1)
      .map((column) => ({ id: column.id, uid: column.uid, name: column.path[0] ?? '', dataType: column.dataType })),
    assetType: shortType(assetTypeOf(placement.assetTypeId)),
    columnType: shortType(columnTypeOf(placement.assetTypeId)),
    isDeleted: state.status === 'vanished',
    ...deletion(state),
    path: state.naturalPath.slice(1),
    ...(facts.sourceIds === undefined ? {} : { sourceIds: facts.sourceIds }),
    ...(leaves.length === 0 ? {} : { leaves: leaves.map(({ id, path, dataType }) => ({ id, path, dataType })) }),
  }
}

/** The current folder, database or schema; `undefined` for a table. */
export function containerMessageOf({
  state,
  revision,
}: Pick<Loaded<AssetState>, 'state' | 'revision'>): ContainerMessage | undefined {
  if (state.status === 'absent' || state.facts !== null) return undefined
  const { id: assetId, uid, naturalPath, placement, status } = state
  const assetType = shortType(assetTypeOf(placement.assetTypeId))
  return { revision, assetId, uid, path: naturalPath.slice(1), assetType, isDeleted: status === 'vanished' }
}

/** Publishes events: at least once, in order, from its own checkpoint. */
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
   * One message for each event of a table or container, all with its current state and the position of that state: so a
   * replica is the same whether it was built step by step or from the state alone.
   */
  async function assetMessages(events: readonly RecordedEvent[]) {
    const states = new Map<string, { asset: TableMessage | ContainerMessage; isTable: boolean; position: string }>()
    const tables: Message[] = []
    const containers: Message[] = []
    for (const event of events) {
      const name = parseStreamName(event.stream)
      if (name?.category !== assetAggregate.category) continue
      if (!states.has(event.stream)) {
        const loaded = await handler.load(assetAggregate, name.tenant, name.id)
        const table = tableMessageOf(loaded)
        const asset = table ?? containerMessageOf(loaded)
        const position = loaded.position ?? event.position
        if (asset !== undefined) states.set(event.stream, { asset, isTable: table !== undefined, position })
        // An embedded store answers without leaving the event loop: yield here.
        if (states.size % statesPerTurn === 0) await setImmediate()
      }
      const known = states.get(event.stream)
      if (known === undefined) continue
      const { asset, isTable, position } = known
      // The key includes the tenant, because the topic is compacted.
      const key = `${name.tenant}/${asset.assetId}`
      const messages = isTable ? tables : containers
      messages.push({ ...messageOfEvent(event, key, isTable ? 'table' : 'container', asset), position })
    }
    return { tables, containers }
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
      const { tables, containers } = await assetMessages(events)
      // Containers first, so that whoever knows a table knows its ancestors.
      if (containers.length > 0) await bus.publish(internalTopics.containers, containers)
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
