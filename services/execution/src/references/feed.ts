import { internalTopics, tagMessage, udfTemplateMessage, udfVariablesMessage } from '@assay/contracts'
import type { DocumentPut, Documents } from '@assay/documents'
import type { ReadYourWrites } from '@assay/event-store'
import { done, type FedCopies, type Message, type MessageBus, type Subscription } from '@assay/message-bus'
import { z } from 'zod'
import {
  executionTagCopies,
  executionTemplates,
  executionVariables,
  tagCopyPut,
  templateCopyPut,
  variablesCopyPut,
} from './copies.ts'

type Read = { put: DocumentPut } | { problem: string }

function reading<T>(schema: z.ZodType<T>, put: (tenant: string, data: T, position: string) => DocumentPut) {
  return ({ tenant, position, data }: Message): Read => {
    const parsed = schema.safeParse(data)
    return parsed.success ? { put: put(tenant, parsed.data, position) } : { problem: z.prettifyError(parsed.error) }
  }
}

const reads = {
  [internalTopics.tags]: reading(tagMessage, tagCopyPut),
  [internalTopics.udfVariables]: reading(udfVariablesMessage, variablesCopyPut),
  [internalTopics.udfTemplates]: reading(udfTemplateMessage, templateCopyPut),
}
const topics = [internalTopics.tags, internalTopics.udfVariables, internalTopics.udfTemplates] as const

function isOurs(topic: string): topic is (typeof topics)[number] {
  return topics.some((one) => one === topic)
}

/** Keeps the copies of what expressions and tag checks refer to. What cannot be read is parked. */
export function feedReferences(deps: {
  bus: MessageBus
  documents: Documents
  followedTags: ReadYourWrites
}): Promise<Subscription> {
  const { bus, documents, followedTags } = deps
  return bus.subscribe({
    topics,
    group: 'execution-references',
    handle: async ({ topic, message }) => {
      if (!isOurs(topic)) return { kind: 'park', reason: `No messages of the topic ${topic} are expected.` }
      const read = reads[topic](message)
      if ('problem' in read) return { kind: 'park', reason: read.problem }
      const work = () => documents.put([read.put])
      if (topic === internalTopics.tags) await followedTags.follow(message.tenant, message.position, work)
      else await work()
      return done
    },
  })
}

const collections = [
  { collection: executionTagCopies.tags, topic: internalTopics.tags },
  { collection: executionTagCopies.associations, topic: internalTopics.tags },
  { collection: executionVariables, topic: internalTopics.udfVariables },
  { collection: executionTemplates, topic: internalTopics.udfTemplates },
] as const

/** What a rebuild reads again from the bus. */
export const referenceCopies: readonly FedCopies<DocumentPut>[] = collections.map(({ collection, topic }) => ({
  collection: collection.name,
  topic,
  putOf(message) {
    const read = reads[topic](message)
    return 'put' in read && read.put.collection.name === collection.name ? read.put : undefined
  },
}))
