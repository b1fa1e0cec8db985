import { type InternalMessages, internalMessages, internalTopics } from '@assay/contracts'
import type { CollectionShape, DocumentPut } from '@assay/documents'
import { type Delivery, done, type Message, type Outcome } from '@assay/message-bus'
import { z } from 'zod'

type TopicName = keyof InternalMessages

/** A local read model of another service's data, fed by the messages of one topic. */
interface Copy<Data> {
  collections: readonly CollectionShape[]
  /** The document put for a message. `position`: the position of the message's state in the owner's log. Pure. */
  putOf(tenant: string, data: Data, position: string): DocumentPut
}

/** The local read models of one service, by the name of the topic that feeds them. */
export type Copies = { readonly [Name in TopicName]?: Copy<InternalMessages[Name]> }

/** Functions for messages, by topic. */
type PerTopic = { readonly [Name in TopicName]?: (tenant: string, data: InternalMessages[Name]) => Promise<void> }

const isTopicName = (name: string): name is TopicName => name in internalTopics
const namesOf = (copies: Copies): TopicName[] => Object.keys(copies).filter(isTopicName)

/** The topics to subscribe to. */
export const topicsOf = (copies: Copies): string[] => namesOf(copies).map((name) => internalTopics[name])

/** The names of the collections that a topic feeds. */
export const collectionsOf = (copies: Copies, topic: string): string[] =>
  namesOf(copies).flatMap((name) =>
    internalTopics[name] === topic ? (copies[name]?.collections.map((collection) => collection.name) ?? []) : [],
  )

/**
 * The document put for a message of `topic`; `undefined` if the message cannot be parsed or its topic feeds no
 * collection. Pure.
 */
export function putOfMessage(copies: Copies, topic: string, message: Message): DocumentPut | undefined {
  const name = namesOf(copies).find((each) => internalTopics[each] === topic)
  return name && putNamed(copies, name, message)
}

function putNamed<Name extends TopicName>(copies: Copies, name: Name, message: Message): DocumentPut | undefined {
  const { success, data } = internalMessages[name].safeParse(message.data)
  return success ? copies[name]?.putOf(message.tenant, data, message.position) : undefined
}

/** The document puts of several services for one message. The message's data must be valid. Pure. */
export function putsOf<Name extends TopicName>(
  all: readonly Copies[],
  name: Name,
  { tenant, position, data }: { tenant: string; position: string; data: InternalMessages[Name] },
): DocumentPut[] {
  return all.flatMap((copies) => copies[name]?.putOf(tenant, data, position) ?? [])
}

/**
 * Handles messages by putting them into the local read models. A document accepts only higher revisions, so a repeated
 * or late message does no harm. A message that cannot be parsed is parked. `before` and `after` run around the put.
 */
export function keepingCopies(deps: {
  documents: { put(puts: readonly DocumentPut[]): Promise<void> }
  copies: Copies
  before?: PerTopic
  after?: PerTopic
}): (delivery: Delivery) => Promise<Outcome> {
  const { documents, copies, before = {}, after = {} } = deps

  async function keep<Name extends TopicName>(name: Name, { tenant, position, data }: Message): Promise<Outcome> {
    const parsed = internalMessages[name].safeParse(data)
    if (!parsed.success) return { kind: 'park', reason: z.prettifyError(parsed.error) }
    await before[name]?.(tenant, parsed.data)
    await documents.put(putsOf([copies], name, { tenant, position, data: parsed.data }))
    await after[name]?.(tenant, parsed.data)
    return done
  }

  return async ({ topic, message }) => {
    const name = namesOf(copies).find((each) => internalTopics[each] === topic)
    if (name === undefined) return { kind: 'park', reason: `No messages of the topic ${topic} are expected.` }
    return keep(name, message)
  }
}
