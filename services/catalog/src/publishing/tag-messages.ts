import type { TagMessage } from '@assay/contracts'
import { type CommandHandler, type Loaded, parseStreamName, type RecordedEvent } from '@assay/event-store'
import type { Message } from '@assay/message-bus'
import { assetTagAggregate } from '../asset-tag/aggregate.ts'
import type { AssetTagState } from '../asset-tag/asset-tag.ts'
import { tagAggregate } from '../tag/aggregate.ts'
import { type TagState, tagNameOf } from '../tag/tag.ts'
import { messageOfEvent } from './message.ts'

/** The current tag, for the local read models of other services. */
export function tagMessageOf({
  state,
  revision,
}: Pick<Loaded<TagState>, 'state' | 'revision'>): TagMessage | undefined {
  if (state.status === 'absent') return undefined
  const { id: tagId, protectedData, mergedIntoId } = state
  return { kind: 'tag', revision, tagId, name: tagNameOf(state), protected: protectedData, mergedIntoId }
}

/** Whether an asset has a tag, for the local read models of other services. */
export function associationMessageOf({
  state,
  revision,
}: Pick<Loaded<AssetTagState>, 'state' | 'revision'>): TagMessage | undefined {
  if (state.status === 'absent') return undefined
  const { associationId, tagId, assetId, tableId } = state.association
  const present = state.status === 'present'
  return { kind: 'association', revision, associationId, tagId, assetId, tableId, present }
}

/** One message for each event of a tag or an association, all with the current state. */
export async function tagMessages(handler: CommandHandler, events: readonly RecordedEvent[]): Promise<Message[]> {
  const messages: Message[] = []
  for (const event of events) {
    const name = parseStreamName(event.stream)
    if (name === undefined) continue
    const { tenant, category, id } = name
    const isTag = category === tagAggregate.category
    if (!isTag && category !== assetTagAggregate.category) continue
    const data = isTag
      ? tagMessageOf(await handler.load(tagAggregate, tenant, id))
      : associationMessageOf(await handler.load(assetTagAggregate, tenant, id))
    if (data === undefined) continue
    // The key includes the tenant and the kind, because the topic is compacted.
    const key = data.kind === 'tag' ? `${tenant}/tag/${data.tagId}` : `${tenant}/association/${data.associationId}`
    messages.push(messageOfEvent(event, key, data.kind, data))
  }
  return messages
}
