import { eventOf, type JsonValue, parseStreamName, type RecordedEvent } from '@assay/event-store'
import { assetAggregate } from '../asset/aggregate.ts'
import type { AssetEvent, AssetSchemaChanged } from '../asset/asset.ts'
import { assetConfigurationAggregate } from '../asset-configuration/aggregate.ts'
import type { AssetConfigurationEvent } from '../asset-configuration/asset-configuration.ts'
import { assetLabelsAggregate } from '../asset-labels/aggregate.ts'
import { labelDifferences } from '../asset-labels/asset-labels.ts'
import { assetTagAggregate } from '../asset-tag/aggregate.ts'
import type { AssetTagEvent } from '../asset-tag/asset-tag.ts'
import { udfVariablesAggregate } from '../asset-udf-variables/aggregate.ts'
import type { UdfVariableEvent } from '../asset-udf-variables/asset-udf-variables.ts'
import { commentAggregate } from '../comment/aggregate.ts'
import type { CommentEvent } from '../comment/comment.ts'
import { sqlViewAggregate } from '../sql-view/aggregate.ts'
import type { SqlViewEvent } from '../sql-view/sql-view.ts'
import { assetTypeOf } from '../types/asset-types.ts'
import type { HistoryDocument } from './collection.ts'

/** The part of an event about one asset, without actor and time. `column`: the column of the table that it concerns. */
interface HistoryLine {
  assetId: number
  entityType: HistoryDocument['entityType']
  entityId: number
  before: JsonValue
  after: JsonValue
  column?: true
}

function ofAsset(assetId: number, before: JsonValue, after: JsonValue): HistoryLine {
  return { assetId, entityType: 'ASSET', entityId: assetId, before, after }
}

function ofColumn(columnId: number, before: JsonValue, after: JsonValue): HistoryLine {
  return { ...ofAsset(columnId, before, after), column: true }
}

function schemaChanged({ assetId, added, returned, changed, removed }: AssetSchemaChanged['data']): HistoryLine[] {
  const isDeleted = { isDeleted: true }
  const table = ofAsset(
    assetId,
    { changed: changed.map(({ id, was }) => ({ assetId: id, ...was })), removed },
    {
      added: added.map(({ id, path, dataType, nullable }) => ({ assetId: id, path, dataType, nullable })),
      changed: changed.map(({ id, dataType, nullable }) => ({ assetId: id, dataType, nullable })),
      returned: returned.map(({ id, dataType, nullable }) => ({ assetId: id, dataType, nullable })),
    },
  )
  return [
    table,
    ...added.map(({ id, dataType, nullable }) => ofColumn(id, null, { dataType, nullable })),
    ...changed.map(({ id, was, dataType, nullable }) => ofColumn(id, { ...was }, { dataType, nullable })),
    ...returned.map(({ id, dataType, nullable }) => ofColumn(id, isDeleted, { dataType, nullable, isDeleted: false })),
    ...removed.map((id) => ofColumn(id, { isDeleted: false }, isDeleted)),
  ]
}

/** No locator: it holds host paths. */
function linesOfAsset(event: AssetEvent): HistoryLine[] {
  const { assetId } = event.data
  switch (event.type) {
    case 'AssetDiscovered': {
      const { name, placement, columns } = event.data
      const { assetTypeId, parentId, assemblyId, assemblyName } = placement
      const assetType = assetTypeOf(assetTypeId).name
      return [ofAsset(assetId, null, { name, assetType, parentId, assemblyId, assemblyName, columns: columns.length })]
    }
    case 'AssetSchemaChanged':
      return schemaChanged(event.data)
    case 'AssetFactsObserved': {
      const { rowCount, sizeBytes, lastChangedAt, fileCount } = event.data.facts
      return [ofAsset(assetId, null, { rowCount, sizeBytes, lastChangedAt, fileCount })]
    }
    case 'AssetPlaced': {
      const { assetTypeId, ...placement } = event.data.placement
      return [ofAsset(assetId, null, { ...placement, assetType: assetTypeOf(assetTypeId).name })]
    }
    case 'AssetVanished':
      return [ofAsset(assetId, { isDeleted: false }, { isDeleted: true, reason: event.data.reason })]
    case 'AssetReturned':
      return [ofAsset(assetId, { isDeleted: true }, { isDeleted: false })]
    default:
      return event satisfies never
  }
}

function linesOfTag({ type, data: { assetId, tagId, tagName } }: AssetTagEvent): HistoryLine[] {
  const tag = { tagId, name: tagName }
  const isAdded = type === 'AssetTagAdded'
  const change = isAdded ? { before: null, after: tag } : { before: tag, after: null }
  return [{ assetId, entityType: 'TAG', entityId: tagId, ...change }]
}

function linesOfComment(event: CommentEvent): HistoryLine[] {
  const { assetId, commentId } = event.data
  const of = { assetId, entityType: 'COMMENT', entityId: commentId } as const
  switch (event.type) {
    case 'CommentAdded':
      return [{ ...of, before: null, after: { comment: event.data.comment, parentId: event.data.parentId } }]
    case 'CommentEdited':
      return [{ ...of, before: { comment: event.data.before }, after: { comment: event.data.comment } }]
    case 'CommentDeleted':
      return [{ ...of, before: { comment: event.data.before }, after: null }]
    default:
      return event satisfies never
  }
}

function linesOfConfiguration(event: AssetConfigurationEvent): HistoryLine[] {
  const { assetId } = event.data
  switch (event.type) {
    case 'AssetConfigured': {
      const { before, after } = event.data
      return [{ assetId, entityType: 'CONFIGURATION', entityId: assetId, before, after }]
    }
    case 'CustomMetadataSet': {
      const { before, set, removed } = event.data
      return [{ assetId, entityType: 'METADATA', entityId: assetId, before, after: { set, removed } }]
    }
    default:
      return event satisfies never
  }
}

function linesOfVariable({ type, data }: UdfVariableEvent): HistoryLine[] {
  const of = { assetId: data.assetId, entityType: 'UDF_VARIABLE', entityId: data.variableId } as const
  const before = type === 'UdfVariableCreated' ? null : data.before
  const after = type === 'UdfVariableDeleted' ? null : { key: data.key, value: data.value }
  return [{ ...of, before, after }]
}

function linesOfView(event: SqlViewEvent): HistoryLine[] {
  const { assetId } = event.data
  const of = { assetId, entityType: 'SQL_VIEW', entityId: assetId } as const
  if (event.type === 'SqlViewDeleted') return [{ ...of, before: { name: event.data.name }, after: null }]
  const { before, query, queryType, description, tableAlias, backingAssetId } = event.data
  return [{ ...of, before, after: { query, queryType, description, tableAlias, backingAssetId } }]
}

function linesOf(recorded: RecordedEvent): HistoryLine[] {
  switch (parseStreamName(recorded.stream)?.category) {
    case assetAggregate.category:
      return linesOfAsset(eventOf(assetAggregate, recorded))
    case assetTagAggregate.category:
      return linesOfTag(eventOf(assetTagAggregate, recorded))
    case assetLabelsAggregate.category: {
      const { assetId, before, labels } = eventOf(assetLabelsAggregate, recorded).data
      return [{ assetId, entityType: 'LABEL', entityId: assetId, ...labelDifferences(before, labels) }]
    }
    case sqlViewAggregate.category:
      return linesOfView(eventOf(sqlViewAggregate, recorded))
    case udfVariablesAggregate.category:
      return linesOfVariable(eventOf(udfVariablesAggregate, recorded))
    case commentAggregate.category:
      return linesOfComment(eventOf(commentAggregate, recorded))
    case assetConfigurationAggregate.category:
      return linesOfConfiguration(eventOf(assetConfigurationAggregate, recorded))
    default:
      return []
  }
}

/** The history lines of an event. Pure. */
export function historyOf(recorded: RecordedEvent): HistoryDocument[] {
  const { occurredAt: at, actor, accessKey } = recorded.metadata
  return linesOf(recorded).map(({ column, ...what }) => ({
    id: column ? `${recorded.id}.${what.entityId}` : recorded.id,
    at,
    actor,
    accessKey: accessKey ?? null,
    action: recorded.type,
    ...what,
  }))
}
