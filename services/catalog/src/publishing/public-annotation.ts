import { withoutValues } from '@assay/contracts'
import { eventOf, parseStreamName, type RecordedEvent } from '@assay/event-store'
import { assetConfigurationAggregate } from '../asset-configuration/aggregate.ts'
import type { AssetConfigurationEvent } from '../asset-configuration/asset-configuration.ts'
import { assetLabelsAggregate } from '../asset-labels/aggregate.ts'
import type { AssetLabelsEvent } from '../asset-labels/asset-labels.ts'
import { assetReferenceAggregate } from '../asset-reference/aggregate.ts'
import type { AssetReferenceEvent } from '../asset-reference/asset-reference.ts'
import { assetTagAggregate } from '../asset-tag/aggregate.ts'
import type { AssetTagEvent } from '../asset-tag/asset-tag.ts'
import { udfVariablesAggregate } from '../asset-udf-variables/aggregate.ts'
import type { UdfVariableEvent } from '../asset-udf-variables/asset-udf-variables.ts'
import { commentAggregate } from '../comment/aggregate.ts'
import type { CommentEvent } from '../comment/comment.ts'
import { inferredTypesAggregate } from '../inferred-types/aggregate.ts'
import type { InferredTypesEvent } from '../inferred-types/inferred-types.ts'
import { policyTagsAggregate } from '../policy-tags/aggregate.ts'
import type { PolicyTagsEvent } from '../policy-tags/policy-tags.ts'
import { sqlViewAggregate } from '../sql-view/aggregate.ts'
import type { SqlViewEvent } from '../sql-view/sql-view.ts'
import { tagAggregate } from '../tag/aggregate.ts'
import type { TagEvent } from '../tag/tag.ts'
import { tagKeyAggregate } from '../tag-key/aggregate.ts'
import type { TagKeyEvent } from '../tag-key/tag-key.ts'
import { udfTemplateAggregate } from '../udf-template/aggregate.ts'
import type { UdfTemplateEvent } from '../udf-template/udf-template.ts'
import { udfValidationAggregate } from '../udf-validation/aggregate.ts'
import type { UdfValidationEvent } from '../udf-validation/udf-validation.ts'
import { voteAggregate } from '../vote/aggregate.ts'
import type { VoteEvent } from '../vote/vote.ts'
import type { PublicForm } from './public-event.ts'

/** Events of annotations. */
export type AnnotationEvent =
  | AssetConfigurationEvent
  | AssetLabelsEvent
  | AssetReferenceEvent
  | AssetTagEvent
  | CommentEvent
  | InferredTypesEvent
  | PolicyTagsEvent
  | SqlViewEvent
  | TagEvent
  | TagKeyEvent
  | UdfTemplateEvent
  | UdfValidationEvent
  | UdfVariableEvent
  | VoteEvent

/** Categories of their streams. */
export const annotationCategories: readonly string[] = [
  assetConfigurationAggregate,
  assetLabelsAggregate,
  assetReferenceAggregate,
  sqlViewAggregate,
  udfTemplateAggregate,
  udfValidationAggregate,
  udfVariablesAggregate,
  assetTagAggregate,
  commentAggregate,
  inferredTypesAggregate,
  policyTagsAggregate,
  tagAggregate,
  tagKeyAggregate,
  voteAggregate,
].map(({ category }) => category)

/** The event, if it is one of an annotation. */
export function annotationEvent(recorded: RecordedEvent): AnnotationEvent | undefined {
  switch (parseStreamName(recorded.stream)?.category) {
    case assetConfigurationAggregate.category:
      return eventOf(assetConfigurationAggregate, recorded)
    case assetLabelsAggregate.category:
      return eventOf(assetLabelsAggregate, recorded)
    case assetTagAggregate.category:
      return eventOf(assetTagAggregate, recorded)
    case assetReferenceAggregate.category:
      return eventOf(assetReferenceAggregate, recorded)
    case sqlViewAggregate.category:
      return eventOf(sqlViewAggregate, recorded)
    case udfTemplateAggregate.category:
      return eventOf(udfTemplateAggregate, recorded)
    case udfValidationAggregate.category:
      return eventOf(udfValidationAggregate, recorded)
    case udfVariablesAggregate.category:
      return eventOf(udfVariablesAggregate, recorded)
    case commentAggregate.category:
      return eventOf(commentAggregate, recorded)
    case inferredTypesAggregate.category:
      return eventOf(inferredTypesAggregate, recorded)
    case policyTagsAggregate.category:
      return eventOf(policyTagsAggregate, recorded)
    case tagAggregate.category:
      return eventOf(tagAggregate, recorded)
    case tagKeyAggregate.category:
      return eventOf(tagKeyAggregate, recorded)
    case voteAggregate.category:
      return eventOf(voteAggregate, recorded)
    default:
      return undefined
  }
}

/** Keyed by asset, so that the events of an asset stay in order. */
function ofAsset(assetId: number, data: PublicForm['data']): PublicForm {
  return { subject: `asset/${assetId}`, key: String(assetId), data: { assetId, ...data } }
}

/** The public form of an annotation's event; `undefined` for internal events. */
export function publicAnnotation(event: AnnotationEvent): PublicForm | undefined {
  switch (event.type) {
    case 'AssetTagAdded':
    case 'AssetTagRemoved':
    case 'AssetLabelsReplaced':
    case 'CommentAdded':
    case 'CommentEdited':
    case 'CommentDeleted':
    case 'VoteCast':
    case 'AssetConfigured':
    case 'CustomMetadataSet':
      return ofAsset(event.data.assetId, event.data)
    case 'PolicyTagAdded':
    case 'PolicyTagRemoved': {
      const { policyId } = event.data
      return { subject: `policy/${policyId}`, key: `policy-${policyId}`, data: event.data }
    }
    case 'TagCreated':
    case 'TagRenamed':
    case 'TagProtectionSet':
    case 'TagMerged': {
      const { tagId } = event.data
      return { subject: `tag/${tagId}`, key: `tag-${tagId}`, data: event.data }
    }
    case 'TagKeyCreated': {
      const { keyId } = event.data
      return { subject: `tag-key/${keyId}`, key: `tag-key-${keyId}`, data: event.data }
    }
    case 'UdfVariableCreated':
    case 'UdfVariableUpdated':
    case 'UdfVariableDeleted': {
      const { path: _, ...data } = event.data
      // Reading the values requires USER_DEFINED_FUNCTION_VIEW, while reading events does not.
      const shown = Object.entries(data).filter(([name]) => name !== 'value' && name !== 'before')
      const before = 'before' in data ? { before: { key: data.before.key } } : {}
      return ofAsset(data.assetId, { ...Object.fromEntries(shown), ...before })
    }
    case 'SqlViewDefined': {
      const { nameOwner: _, ...data } = event.data
      return ofAsset(data.assetId, data)
    }
    case 'SqlViewDeleted':
    case 'ReferenceJobSubmitted':
    case 'ReferenceJobCancelled':
      return ofAsset(event.data.assetId, event.data)
    case 'ReferenceJobFailed': {
      const { error, ...data } = event.data
      return ofAsset(data.assetId, { ...data, error: withoutValues(error) })
    }
    case 'ReferenceJobSucceeded': {
      const { baseline: _, ...data } = event.data
      return ofAsset(data.assetId, data)
    }
    case 'UdfTemplateCreated':
    case 'UdfTemplateUpdated':
    case 'UdfTemplateDeleted': {
      const { udfId } = event.data
      return { subject: `udf-template/${udfId}`, key: `udf-template-${udfId}`, data: event.data }
    }
    case 'UdfValidationRequested': {
      // Only the request and its target: test data and results can have personal data.
      const { udfId, requestId, task } = event.data
      const data = { udfId, requestId, ...(task.assetId === null ? {} : { assetId: task.assetId }) }
      return { subject: `udf-template/${udfId}`, key: `udf-template-${udfId}`, data }
    }
    case 'UdfValidationClaimed':
    case 'UdfValidationRenewed':
    case 'UdfValidationReleased':
    case 'UdfValidationSucceeded':
    case 'UdfValidationFailed':
    case 'UdfValidationRemoved':
    case 'ReferenceJobClaimed':
    case 'ReferenceJobRenewed':
    case 'ReferenceJobReleased':
    case 'TagMoved':
    case 'ColumnTypesInferred':
      return undefined
    default:
      return event satisfies never
  }
}
