import { cloudEvent } from '@assay/contracts'
import { z } from 'zod'
import type { Told } from '../notification/notification.ts'
import type { Happening, News } from './news.ts'
import { toldOfPolicy } from './policy-happening.ts'

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
  assetId: z.int(),
  assetUid: z.string(),
  resultStatus: z.string(),
  error: z.string().nullable(),
})

function aboutAsset(assetId: number, at: string) {
  return { assetId, policyId: null, executionId: null, link: `/assets/${assetId}`, at }
}

function counted(count: number, what: string): string[] {
  return count === 0 ? [] : [`${count} column${count === 1 ? '' : 's'} ${what}`]
}

function toldOfSchema(data: unknown, at: string): Told[] {
  const { assetId, uid, added, returned, changed, removed } = schemaChange.parse(data)
  const parts = [
    ...counted(added.length, 'added'),
    ...counted(returned.length, 'returned'),
    ...counted(changed.length, 'changed'),
    ...counted(removed.length, 'removed'),
  ]
  const table: Told = {
    ...aboutAsset(assetId, at),
    kind: 'SCHEMA_CHANGED',
    title: `The columns of ${uid} changed`,
    text: `${parts.join(', ') || 'The order of the columns changed'}.`,
  }
  const column = (id: number, kind: Told['kind'], what: string): Told => ({
    ...aboutAsset(id, at),
    kind,
    title: `A column of ${uid} ${what}`,
    text: `The column ${what}.`,
  })
  return [
    table,
    ...returned.map(({ id }) => column(id, 'ASSET_CHANGED', 'is back')),
    ...changed.map(({ id }) => column(id, 'SCHEMA_CHANGED', 'changed its type')),
    ...removed.map((id) => column(id, 'ASSET_DELETED', 'is no longer there')),
  ]
}

function toldOfAsset(kind: Told['kind'], data: unknown, at: string, what: string, text: string): Told[] {
  const { assetId, uid } = ofAsset.parse(data)
  return [{ ...aboutAsset(assetId, at), kind, title: `${uid} ${what}`, text }]
}

/** Who watches a folder, a database or a schema is told of what is new right in it; what stands in none has no watchers yet. */
function toldOfDiscovery(data: unknown, at: string): News[] {
  const { assetId, uid, parentId } = ofAsset.extend({ parentId: z.int().nullable().optional() }).parse(data)
  if (parentId === null || parentId === undefined) return []
  const about = aboutAsset(assetId, at)
  return [{ ...about, watchedId: parentId, kind: 'ASSET_CREATED', title: `${uid} is new`, text: 'It was found.' }]
}

function tagOf(data: unknown): string {
  return z.object({ tagName: z.string() }).parse(data).tagName
}

function toldOfExecution(data: unknown, at: string): Told[] {
  const run = ofExecution.parse(data)
  const { executionId, policyId, policyName, assetId, assetUid, resultStatus, error } = run
  const about = { assetId, policyId, executionId, link: `/executions/${executionId}`, at }
  const title = `${policyName} on ${assetUid}`
  if (error !== null) return [{ ...about, kind: 'EXECUTION_FAILED', title: `${title} could not be run`, text: error }]
  if (resultStatus === 'WARNING')
    return [
      { ...about, kind: 'EXECUTION_WARNING', title: `${title}: warning`, text: 'The policy ended with a warning.' },
    ]
  if (resultStatus === 'ERRORED')
    return [{ ...about, kind: 'EXECUTION_ERRORED', title: `${title}: failed`, text: 'The data broke the policy.' }]
  return []
}

/**
 * What a public event tells the watchers of its assets; nothing for what nobody waits for. Throws a ZodError for what is
 * no event, or not in the form of its type. Pure.
 */
export function happeningOf(message: unknown): Happening {
  const { id: eventId, type, time, data } = cloudEvent.parse(message)
  const of = (told: News[]): Happening => ({ eventId, told })
  if (type.startsWith(policyTypes)) return of(toldOfPolicy(type.slice(policyTypes.length), data, time))
  switch (type) {
    case 'io.assay.catalog.AssetDiscovered':
      return of(toldOfDiscovery(data, time))
    case 'io.assay.catalog.AssetSchemaChanged':
      return of(toldOfSchema(data, time))
    case 'io.assay.catalog.AssetFactsObserved':
      return of(toldOfAsset('ASSET_CHANGED', data, time, 'changed', 'Its rows, its size or its time of change differ.'))
    case 'io.assay.catalog.AssetPlaced':
      return of(toldOfAsset('ASSET_CHANGED', data, time, 'was moved', 'It stands at another place of the catalog.'))
    case 'io.assay.catalog.AssetReturned':
      return of(toldOfAsset('ASSET_CHANGED', data, time, 'is back', 'Its source has it again.'))
    case 'io.assay.catalog.AssetVanished':
      return of(toldOfAsset('ASSET_DELETED', data, time, 'is no longer there', 'Its source has it no more.'))
    case 'io.assay.catalog.AssetTagAdded':
      return of(toldOfAsset('TAGS_CHANGED', data, time, 'has one tag more', `It carries the tag ${tagOf(data)}.`))
    case 'io.assay.catalog.AssetTagRemoved':
      return of(toldOfAsset('TAGS_CHANGED', data, time, 'has one tag less', `It lost the tag ${tagOf(data)}.`))
    case 'io.assay.catalog.AssetLabelsReplaced':
      return of(toldOfAsset('LABELS_CHANGED', data, time, 'has other labels', 'Its labels were changed.'))
    case 'io.assay.catalog.CommentAdded':
      return of(toldOfAsset('COMMENT_ADDED', data, time, 'was commented on', 'Somebody wrote a comment.'))
    case 'io.assay.catalog.AssetConfigured':
    case 'io.assay.catalog.CustomMetadataSet':
      return of(toldOfAsset('ASSET_CHANGED', data, time, 'changed', 'Its configuration or its metadata differ.'))
    case 'io.assay.execution.ExecutionSucceeded':
    case 'io.assay.execution.ExecutionFailed':
      return of(toldOfExecution(data, time))
    default:
      return of([])
  }
}
