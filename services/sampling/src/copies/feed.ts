import { internalTopics, type TagMessage, tableMessage, tagMessage, udfTemplateMessage } from '@assay/contracts'
import type { DocumentPut, Documents } from '@assay/documents'
import type { ReadYourWrites } from '@assay/event-store'
import {
  copiesOf,
  type Delivery,
  type FedCopies,
  type MessageBus,
  type Outcome,
  type Subscription,
  taking,
} from '@assay/message-bus'
import type { z } from 'zod'
import { samplingTables, tableCopyPut } from './tables.ts'
import { samplingTagCopies, tagCopyPut } from './tags.ts'
import { samplingTemplates, templateCopyPut } from './templates.ts'

/**
 * Keeps the local read models of tables, tags and UDF templates. They accept only higher revisions; an unreadable
 * message is parked.
 */
export function feedCopies(deps: {
  bus: MessageBus
  documents: Documents
  catalog: ReadYourWrites
}): Promise<Subscription> {
  const keeping = <T>(schema: z.ZodType<T>, putOf: (tenant: string, data: T, position: string) => DocumentPut) =>
    taking(schema, (data: T, { tenant, position }) =>
      deps.catalog.follow(tenant, position, () => deps.documents.put([putOf(tenant, data, position)])),
    )
  const keepTable = keeping(tableMessage, tableCopyPut)
  const keepTags = keeping(tagMessage, tagCopyPut)
  const keepTemplate = keeping(udfTemplateMessage, templateCopyPut)

  function handle(delivery: Delivery): Promise<Outcome> {
    if (delivery.topic === internalTopics.tables) return keepTable(delivery)
    return delivery.topic === internalTopics.tags ? keepTags(delivery) : keepTemplate(delivery)
  }

  return deps.bus.subscribe({
    topics: [internalTopics.tables, internalTopics.tags, internalTopics.udfTemplates],
    group: 'sampling',
    handle,
  })
}

/** Local read models that a rebuild reads from the bus again. */
export const samplingCopies: readonly FedCopies<DocumentPut>[] = [
  copiesOf({ collection: samplingTables, topic: internalTopics.tables, schema: tableMessage, putOf: tableCopyPut }),
  copiesOf({
    collection: samplingTemplates,
    topic: internalTopics.udfTemplates,
    schema: udfTemplateMessage,
    putOf: templateCopyPut,
  }),
  ...[samplingTagCopies.tags, samplingTagCopies.associations].map((collection) =>
    copiesOf({
      collection,
      topic: internalTopics.tags,
      schema: tagMessage,
      putOf(tenant: string, data: TagMessage, position: string) {
        const put = tagCopyPut(tenant, data, position)
        return put.collection.name === collection.name ? put : undefined
      },
    }),
  ),
]
