import { cloudEvent } from '@assay/contracts'
import { z } from 'zod'
import type { NotificationContent } from '../notification/notification.ts'
import { linkOfAsset, linkOfExecution } from './links.ts'
import { ofPolicyEvent } from './policy-trigger.ts'
import type { NotificationTrigger, WatchedContent } from './trigger.ts'

const policyTypes = 'io.assay.policy.'
const ofAsset = z.object({ assetId: z.int(), uid: z.string() })
const columnState = z.object({ id: z.int() })
const schemaChange = ofAsset.extend({
  added: z.array(z.object({ assetId: z.int(), name: z.string() })),
  returned: z.array(columnState),
  changed: z.array(columnState),
  removed: z.array(z.int()),
})
const ofExecution = z.object({
  executionId: z.int(),
  policyId: z.int(),
  policyName: z.string(),
  policyType: z.string(),
  assetId: z.int(),
  assetUid: z.string(),
  /** Absent where it depends on protected columns. */
  resultStatus: z.string().optional(),
  error: z.string().nullable(),
})

function aboutAsset(assetId: number, at: string) {
  return { assetId, policyId: null, executionId: null, link: linkOfAsset(assetId), at }
}

function counted(count: number, what: string): string[] {
  return count === 0 ? [] : [`${count} column${count === 1 ? '' : 's'} ${what}`]
}

function ofSchemaChange(data: unknown, at: string): NotificationContent[] {
  const { assetId, uid, added, returned, changed, removed } = schemaChange.parse(data)
  const parts = [
    ...counted(added.length, 'added'),
    ...counted(returned.length, 'returned'),
    ...counted(changed.length, 'changed'),
    ...counted(removed.length, 'removed'),
  ]
  const table: NotificationContent = {
    ...aboutAsset(assetId, at),
    kind: 'SCHEMA_CHANGED',
    title: `The columns of ${uid} changed`,
    text: `${parts.join(', ') || 'The order of the columns changed'}.`,
  }
  const column = (id: number, kind: NotificationContent['kind'], what: string): NotificationContent => ({
    ...aboutAsset(id, at),
    kind,
    title: `A column of ${uid} ${what}`,
    text: `The column ${what}.`,
  })
  return [
    table,
    ...returned.map(({ id }) => column(id, 'ASSET_CHANGED', 'returned')),
    ...changed.map(({ id }) => column(id, 'SCHEMA_CHANGED', 'changed its type')),
    ...removed.map((id) => column(id, 'ASSET_DELETED', 'was removed')),
  ]
}

function aboutChange(
  kind: NotificationContent['kind'],
  data: unknown,
  at: string,
  what: string,
  text: string,
): NotificationContent[] {
  const { assetId, uid } = ofAsset.parse(data)
  return [{ ...aboutAsset(assetId, at), kind, title: `${uid} ${what}`, text }]
}

/**
 * Watchers of a folder, a database or a schema are notified of new assets directly in it. A new asset without a parent
 * has no watchers yet.
 */
function ofDiscovery(data: unknown, at: string): WatchedContent[] {
  const { assetId, uid, parentId } = ofAsset.extend({ parentId: z.int().nullable().optional() }).parse(data)
  if (parentId === null || parentId === undefined) return []
  const about = aboutAsset(assetId, at)
  return [
    {
      ...about,
      watchedId: parentId,
      kind: 'ASSET_CREATED',
      title: `${uid} is new`,
      text: 'A crawl found it, or it was created.',
    },
  ]
}

function tagOf(data: unknown): string {
  return z.object({ tagName: z.string() }).parse(data).tagName
}

function ofComment(data: unknown, at: string, actor: string): NotificationContent[] {
  const { assetId, uid } = ofAsset.parse(data)
  const text = `${actor} commented on ${uid}.`
  return [{ ...aboutAsset(assetId, at), kind: 'COMMENT_ADDED', title: `${actor} commented on ${uid}`, text }]
}

function ofExecutionEnd(data: unknown, at: string): NotificationContent[] {
  const run = ofExecution.parse(data)
  const { executionId, policyId, policyName, policyType, assetId, assetUid, resultStatus, error } = run
  const about = { assetId, policyId, executionId, link: linkOfExecution(policyType, executionId), at }
  const title = `${policyName} on ${assetUid}`
  if (error !== null) return [{ ...about, kind: 'EXECUTION_FAILED', title: `${title} could not be run`, text: error }]
  if (resultStatus === 'WARNING')
    return [
      { ...about, kind: 'EXECUTION_WARNING', title: `${title}: warning`, text: 'The policy ended with a warning.' },
    ]
  if (resultStatus === 'ERRORED')
    return [
      {
        ...about,
        kind: 'EXECUTION_ERRORED',
        title: `${title}: failed`,
        text: 'The verdict is ERRORED. The result of the run says which items failed or could not be evaluated, and why.',
      },
    ]
  return []
}

/**
 * The notifications of a public event for the watchers of its assets; empty if the type triggers none. Throws a
 * ZodError if `message` is not an event or does not match its type. Pure.
 */
export function triggerOf(message: unknown): NotificationTrigger {
  const { id: eventId, type, time, data, actor = 'system' } = cloudEvent.parse(message)
  const of = (contents: WatchedContent[]): NotificationTrigger => ({ eventId, contents })
  if (type.startsWith(policyTypes)) return of(ofPolicyEvent(type.slice(policyTypes.length), data, time))
  switch (type) {
    case 'io.assay.catalog.AssetDiscovered':
      return of(ofDiscovery(data, time))
    case 'io.assay.catalog.AssetSchemaChanged':
      return of(ofSchemaChange(data, time))
    case 'io.assay.catalog.AssetFactsObserved':
      return of(
        aboutChange(
          'ASSET_CHANGED',
          data,
          time,
          'changed',
          'The number of rows, the size or the time of the last change is different.',
        ),
      )
    case 'io.assay.catalog.AssetPlaced':
      return of(aboutChange('ASSET_CHANGED', data, time, 'was moved', 'It has another parent, assembly or type.'))
    case 'io.assay.catalog.AssetReturned':
      return of(aboutChange('ASSET_CHANGED', data, time, 'returned', 'The last crawl found it again.'))
    case 'io.assay.catalog.AssetVanished':
      return of(aboutChange('ASSET_DELETED', data, time, 'was deleted', 'The last crawl no longer found it.'))
    case 'io.assay.catalog.AssetTagAdded':
      return of(
        aboutChange(
          'TAGS_CHANGED',
          data,
          time,
          `was tagged '${tagOf(data)}'`,
          `${actor} added the tag '${tagOf(data)}'.`,
        ),
      )
    case 'io.assay.catalog.AssetTagRemoved':
      return of(
        aboutChange(
          'TAGS_CHANGED',
          data,
          time,
          `lost the tag '${tagOf(data)}'`,
          `${actor} removed the tag '${tagOf(data)}'.`,
        ),
      )
    case 'io.assay.catalog.AssetLabelsReplaced':
      return of(aboutChange('LABELS_CHANGED', data, time, 'has other labels', `${actor} changed the labels.`))
    case 'io.assay.catalog.CommentAdded':
      return of(ofComment(data, time, actor))
    case 'io.assay.catalog.AssetConfigured':
    case 'io.assay.catalog.CustomMetadataSet':
      return of(
        aboutChange(
          'ASSET_CHANGED',
          data,
          time,
          'was configured',
          `${actor} changed the configuration or the custom metadata.`,
        ),
      )
    case 'io.assay.execution.ExecutionFinished':
    case 'io.assay.execution.ExecutionFailed':
      return of(ofExecutionEnd(data, time))
    default:
      return of([])
  }
}
