import { internalTopics } from '@assay/contracts'
import { parseStreamName, type RecordedEvent, type StatesAround } from '@assay/event-store'
import type { Publication } from '@assay/message-bus'
import { assemblyAggregate } from '../assembly/aggregate.ts'
import { assetAggregate } from '../asset/aggregate.ts'
import { assetConfigurationAggregate } from '../asset-configuration/aggregate.ts'
import { assetLabelsAggregate } from '../asset-labels/aggregate.ts'
import { assetTagAggregate } from '../asset-tag/aggregate.ts'
import { udfVariablesAggregate } from '../asset-udf-variables/aggregate.ts'
import { tagAggregate } from '../tag/aggregate.ts'
import { udfTemplateAggregate } from '../udf-template/aggregate.ts'
import { assemblyMessageOf } from './assembly-messages.ts'
import { containerMessageOf, tableMessageOf } from './asset-messages.ts'
import { assetLabelsMessageOf } from './label-messages.ts'
import { messageOfEvent } from './message.ts'
import { assetSettingsMessageOf } from './settings-messages.ts'
import { associationMessageOf, tagMessageOf } from './tag-messages.ts'
import { udfTemplateMessageOf, udfVariablesMessageOf } from './udf-messages.ts'

/** The state right after the event, for the local read models of other services; `undefined` if they do not need it. */
export async function copyMessage(around: StatesAround, event: RecordedEvent): Promise<Publication | undefined> {
  const { revision } = event
  /** `id` is unique within the topic. The key includes the tenant, because the topics are compacted. */
  const of = (topic: string, type: string, id: string, data: unknown): Publication => {
    return { topic, message: messageOfEvent(event, `${event.metadata.tenant}/${id}`, type, data) }
  }
  switch (parseStreamName(event.stream)?.category) {
    case assetAggregate.category: {
      const { after: state } = await around(assetAggregate, event)
      const table = tableMessageOf({ state, revision })
      if (table !== undefined) return of(internalTopics.tables, 'table', String(table.assetId), table)
      const container = containerMessageOf({ state, revision })
      return container && of(internalTopics.containers, 'container', String(container.assetId), container)
    }
    case assemblyAggregate.category: {
      const assembly = assemblyMessageOf({ state: (await around(assemblyAggregate, event)).after, revision })
      return assembly && of(internalTopics.assemblies, 'assembly', String(assembly.assemblyId), assembly)
    }
    case tagAggregate.category: {
      const tag = tagMessageOf({ state: (await around(tagAggregate, event)).after, revision })
      return tag && of(internalTopics.tags, tag.kind, `tag/${tag.tagId}`, tag)
    }
    case assetTagAggregate.category: {
      const association = associationMessageOf({ state: (await around(assetTagAggregate, event)).after, revision })
      const id = `association/${association?.associationId}`
      return association && of(internalTopics.tags, association.kind, id, association)
    }
    case udfTemplateAggregate.category: {
      const template = udfTemplateMessageOf({ state: (await around(udfTemplateAggregate, event)).after, revision })
      return template && of(internalTopics.udfTemplates, 'udf-template', String(template.udfId), template)
    }
    case udfVariablesAggregate.category: {
      const variables = udfVariablesMessageOf({ state: (await around(udfVariablesAggregate, event)).after, revision })
      return variables && of(internalTopics.udfVariables, 'udf-variables', String(variables.assetId), variables)
    }
    case assetConfigurationAggregate.category: {
      const { after: state } = await around(assetConfigurationAggregate, event)
      const settings = assetSettingsMessageOf({ state, revision })
      return settings && of(internalTopics.assetSettings, 'asset-settings', String(settings.assetId), settings)
    }
    case assetLabelsAggregate.category: {
      const labels = assetLabelsMessageOf({ state: (await around(assetLabelsAggregate, event)).after, revision })
      return labels && of(internalTopics.assetLabels, 'asset-labels', String(labels.assetId), labels)
    }
    default:
      return undefined
  }
}
