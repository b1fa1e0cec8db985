import { internalTopics, type UdfTemplateMessage, type UdfVariablesMessage } from '@assay/contracts'
import { type CommandHandler, type Loaded, parseStreamName, type RecordedEvent } from '@assay/event-store'
import type { Message } from '@assay/message-bus'
import { udfVariablesAggregate } from '../asset-udf-variables/aggregate.ts'
import type { UdfVariablesState } from '../asset-udf-variables/asset-udf-variables.ts'
import { udfTemplateAggregate } from '../udf-template/aggregate.ts'
import type { UdfTemplateState } from '../udf-template/udf-template.ts'
import { messageOfEvent } from './message.ts'

/** The current variables of an asset, for the services that bind them. */
export function udfVariablesMessageOf({
  state,
  revision,
}: Pick<Loaded<UdfVariablesState>, 'state' | 'revision'>): UdfVariablesMessage | undefined {
  const { assetId, path, variables } = state
  if (assetId === 0) return undefined
  return { revision, assetId, path, variables: variables.map(({ key, value }) => ({ key, value })) }
}

/** The current template, for the services that use it in policies. */
export function udfTemplateMessageOf({
  state,
  revision,
}: Pick<Loaded<UdfTemplateState>, 'state' | 'revision'>): UdfTemplateMessage | undefined {
  if (state.status === 'absent') return undefined
  const { name, language, udfType, udfDataType, code, variables } = state.definition
  const isDeleted = state.status === 'deleted'
  return { revision, udfId: state.id, name, language, udfType, udfDataType, code, variables, isDeleted }
}

/** One message for each event, all with the current state; by topic, without empty topics. */
export async function udfMessages(
  handler: CommandHandler,
  events: readonly RecordedEvent[],
): Promise<[topic: string, messages: Message[]][]> {
  const variables: Message[] = []
  const templates: Message[] = []
  for (const event of events) {
    const name = parseStreamName(event.stream)
    if (name === undefined) continue
    const { tenant, category, id } = name
    if (category === udfTemplateAggregate.category) {
      const data = udfTemplateMessageOf(await handler.load(udfTemplateAggregate, tenant, id))
      if (data) templates.push(messageOfEvent(event, `${tenant}/${data.udfId}`, 'udf-template', data))
    }
    if (category === udfVariablesAggregate.category) {
      const data = udfVariablesMessageOf(await handler.load(udfVariablesAggregate, tenant, id))
      // The key includes the tenant, because the topic is compacted.
      if (data) variables.push(messageOfEvent(event, `${tenant}/${data.assetId}`, 'udf-variables', data))
    }
  }
  const all: [string, Message[]][] = [
    [internalTopics.udfVariables, variables],
    [internalTopics.udfTemplates, templates],
  ]
  return all.filter(([, messages]) => messages.length > 0)
}
