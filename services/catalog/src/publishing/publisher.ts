import { publicTopics } from '@assay/contracts'
import {
  createProcessor,
  createStatesAround,
  type Processor,
  type ProcessorDeps,
  parseStreamName,
  type RecordedEvent,
  type StatesAround,
} from '@assay/event-store'
import { type MessageBus, type Publication, publishEach } from '@assay/message-bus'
import { assemblyAggregate } from '../assembly/aggregate.ts'
import { assetAggregate } from '../asset/aggregate.ts'
import { crawlAggregate } from '../crawl/aggregate.ts'
import { assemblyChanges } from './assembly-changes.ts'
import { copyMessage } from './copy-message.ts'
import { columnNames, crawledAssembly } from './further-data.ts'
import { messageOfEvent } from './message.ts'
import { annotationCategories } from './public-annotation.ts'
import { publicEvent } from './public-event.ts'

/** Public data that the event lacks and the state before or after it has; `undefined` for most events. */
async function furtherData(around: StatesAround, recorded: RecordedEvent): Promise<object | undefined> {
  switch (parseStreamName(recorded.stream)?.category) {
    case assemblyAggregate.category:
      return { changes: assemblyChanges(await around(assemblyAggregate, recorded)) }
    case crawlAggregate.category:
      return crawledAssembly((await around(crawlAggregate, recorded)).after)
    case assetAggregate.category:
      return recorded.type === 'AssetSchemaChanged'
        ? { names: columnNames((await around(assetAggregate, recorded)).after, recorded) }
        : undefined
    default:
      return undefined
  }
}

async function publicMessage(around: StatesAround, recorded: RecordedEvent): Promise<Publication | undefined> {
  const form = publicEvent(recorded)
  if (form === undefined) return undefined
  const further = await furtherData(around, recorded)
  const event = further === undefined ? form.event : { ...form.event, data: { ...form.data, ...further } }
  return { topic: publicTopics.assets, message: messageOfEvent(recorded, form.key, event.type, event) }
}

/** Publishes catalog events from the log, at least once. */
export function createPublisher(deps: ProcessorDeps & { bus: MessageBus }): Processor {
  const { store, documents, bus, makeProcessor = createProcessor, ...rest } = deps
  const around = createStatesAround({ store, documents })
  return makeProcessor({
    ...rest,
    name: 'catalog-publisher',
    store,
    categories: ['asset', 'assembly', 'crawl', ...annotationCategories],
    handle: (events) =>
      publishEach(bus, events, async (event) => {
        const messages = [await copyMessage(around, event), await publicMessage(around, event)]
        return messages.filter((message) => message !== undefined)
      }),
  })
}
