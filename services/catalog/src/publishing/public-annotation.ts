import { eventOf, parseStreamName, type RecordedEvent } from '@assay/event-store'
import { assetConfigurationAggregate } from '../asset-configuration/aggregate.ts'
import type { AssetConfigurationEvent } from '../asset-configuration/asset-configuration.ts'
import { assetLabelsAggregate } from '../asset-labels/aggregate.ts'
import type { AssetLabelsEvent } from '../asset-labels/asset-labels.ts'
import { assetTagAggregate } from '../asset-tag/aggregate.ts'
import type { AssetTagEvent } from '../asset-tag/asset-tag.ts'
import { commentAggregate } from '../comment/aggregate.ts'
import type { CommentEvent } from '../comment/comment.ts'
import { inferredTypesAggregate } from '../inferred-types/aggregate.ts'
import type { InferredTypesEvent } from '../inferred-types/inferred-types.ts'
import { tagAggregate } from '../tag/aggregate.ts'
import type { TagEvent } from '../tag/tag.ts'
import { tagKeyAggregate } from '../tag-key/aggregate.ts'
import type { TagKeyEvent } from '../tag-key/tag-key.ts'
import { voteAggregate } from '../vote/aggregate.ts'
import type { VoteEvent } from '../vote/vote.ts'
import type { PublicForm } from './public-event.ts'

/** Events of what people say about assets. */
export type AnnotationEvent =
  | AssetConfigurationEvent
  | AssetLabelsEvent
  | AssetTagEvent
  | CommentEvent
  | InferredTypesEvent
  | TagEvent
  | TagKeyEvent
  | VoteEvent

/** Categories of the streams that they stand in. */
export const annotationCategories: readonly string[] = [
  assetConfigurationAggregate,
  assetLabelsAggregate,
  assetTagAggregate,
  commentAggregate,
  inferredTypesAggregate,
  tagAggregate,
  tagKeyAggregate,
  voteAggregate,
].map(({ category }) => category)

/** The event, where it is one of these. */
export function annotationEvent(recorded: RecordedEvent): AnnotationEvent | undefined {
  switch (parseStreamName(recorded.stream)?.category) {
    case assetConfigurationAggregate.category:
      return eventOf(assetConfigurationAggregate, recorded)
    case assetLabelsAggregate.category:
      return eventOf(assetLabelsAggregate, recorded)
    case assetTagAggregate.category:
      return eventOf(assetTagAggregate, recorded)
    case commentAggregate.category:
      return eventOf(commentAggregate, recorded)
    case inferredTypesAggregate.category:
      return eventOf(inferredTypesAggregate, recorded)
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

/** Of an asset: under its key, so that what happens to it stays in order. */
function ofAsset(assetId: number, data: PublicForm['data']): PublicForm {
  return { subject: `asset/${assetId}`, key: String(assetId), data: { assetId, ...data } }
}

/** What the world sees of such an event; `undefined` for what is only the catalog's own business. */
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
    case 'TagMoved':
    case 'ColumnTypesInferred':
      return undefined
    default:
      return event satisfies never
  }
}
