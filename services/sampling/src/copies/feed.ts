import { internalTopics, tableMessage, tagMessage, udfTemplateMessage } from '@assay/contracts'
import type { DocumentPut, Documents } from '@assay/documents'
import type { Followed } from '@assay/event-store'
import { done, type FedCopies, type Message, type MessageBus, type Subscription } from '@assay/message-bus'
import { z } from 'zod'
import { samplingTables, tableCopyPut } from './tables.ts'
import { samplingTagCopies, tagCopyPut } from './tags.ts'
import { samplingTemplates, templateCopyPut } from './templates.ts'

/** Keeps the copies of tables, tags and UDF templates. A copy takes only a higher revision; what cannot be read is parked. */
export function feedCopies(deps: { bus: MessageBus; documents: Documents; catalog: Followed }): Promise<Subscription> {
  return deps.bus.subscribe({
    topics: [internalTopics.tables, internalTopics.tags, internalTopics.udfTemplates],
    group: 'sampling',
    handle: async ({ topic, message }) => {
      const put = putOf(topic, message)
      if ('problem' in put) return { kind: 'park', reason: put.problem }
      await deps.catalog.follow(message.tenant, message.position, () => deps.documents.put([put]))
      return done
    },
  })
}

function putOf(topic: string, message: Message): DocumentPut | { problem: string } {
  if (topic === internalTopics.tables) return tablePut(message)
  return topic === internalTopics.tags ? tagsPut(message) : templatePut(message)
}

function templatePut({ tenant, position, data }: Message): DocumentPut | { problem: string } {
  const parsed = udfTemplateMessage.safeParse(data)
  return parsed.success ? templateCopyPut(tenant, parsed.data, position) : { problem: z.prettifyError(parsed.error) }
}

function tablePut({ tenant, position, data }: Message): DocumentPut | { problem: string } {
  const parsed = tableMessage.safeParse(data)
  return parsed.success ? tableCopyPut(tenant, parsed.data, position) : { problem: z.prettifyError(parsed.error) }
}

function tagsPut({ tenant, position, data }: Message): DocumentPut | { problem: string } {
  const parsed = tagMessage.safeParse(data)
  return parsed.success ? tagCopyPut(tenant, parsed.data, position) : { problem: z.prettifyError(parsed.error) }
}

/** What a rebuild reads again from the bus. */
export const samplingCopies: readonly FedCopies<DocumentPut>[] = [
  {
    collection: samplingTables.name,
    topic: internalTopics.tables,
    putOf: (message) => read(tablePut(message)),
  },
  {
    collection: samplingTemplates.name,
    topic: internalTopics.udfTemplates,
    putOf: (message) => read(templatePut(message)),
  },
  ...[samplingTagCopies.tags, samplingTagCopies.associations].map((collection) => ({
    collection: collection.name,
    topic: internalTopics.tags,
    putOf(message: Message) {
      const put = read(tagsPut(message))
      return put?.collection.name === collection.name ? put : undefined
    },
  })),
]

function read(put: DocumentPut | { problem: string }): DocumentPut | undefined {
  return 'problem' in put ? undefined : put
}
