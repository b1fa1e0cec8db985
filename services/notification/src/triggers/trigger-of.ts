import { cloudEvent } from '@assay/contracts'
import { z } from 'zod'
import { mentionsOfComment, ofComment } from './comment-trigger.ts'
import { aboutAsset, changeOf } from './content.ts'
import { ofExecutionEnd, ofFeedbackGiven, ofIncidentEvent } from './execution-trigger.ts'
import { linkOfCrawl } from './links.ts'
import { ofPolicyEvent } from './policy-trigger.ts'
import { ofSchemaChange } from './schema-trigger.ts'
import type { NotificationTrigger, WatchedContent } from './trigger.ts'

const policyTypes = 'io.assay.policy.'
// Schemas are created once: creating one takes as long as several queries.
const ofAsset = z.object({ assetId: z.int(), uid: z.string() })
const discovered = ofAsset.extend({
  parentId: z.int().nullish(),
  assemblyId: z.int().optional(),
  /** The fields from here on are absent in older events. */
  name: z.string().optional(),
  path: z.array(z.string()).optional(),
  assetTypeId: z.int().optional(),
  sourceTypeId: z.int().optional(),
})
const tagged = ofAsset.extend({ tagId: z.int(), tagName: z.string() })
const failedCrawl = z.object({ crawlId: z.int(), assemblyId: z.int().optional(), reason: z.string() })
const vanished = ofAsset.extend({ reason: z.string().optional(), assemblyId: z.int().optional() })
const crawled = z.object({ crawlId: z.int().optional() })
const endedCrawl = z.object({ crawlId: z.int(), assemblyId: z.int().optional() })
const removed = z.object({ assemblyId: z.int() })

/** Notifies the watchers of the folder of a new asset, of the ancestors of the folder, and of the assembly. */
function ofDiscovery(data: unknown, at: string): WatchedContent[] {
  const { assetId, uid, parentId, assemblyId, name, ...types } = discovered.parse(data)
  const about = aboutAsset(assetId, at)
  return [
    {
      ...about,
      watchedId: parentId ?? null,
      ...(assemblyId === undefined ? {} : { assemblyId }),
      ...(name === undefined ? {} : { created: { assetId, uid, name, ...types } }),
      kind: 'ASSET_CREATED',
      title: `${uid} is new`,
      text: 'A crawl found it, or it was created.',
    },
  ]
}

function ofTag(data: unknown, at: string, [what, text]: readonly [string, string]): WatchedContent[] {
  const { tagId, tagName: name, ...asset } = tagged.parse(data)
  const change = { kind: 'TAGS_CHANGED' as const, what: `${what} '${name}'`, text: `${text} '${name}'.` }
  return [{ ...changeOf(asset, at, change), tag: { tagId, name } }]
}

function ofCrawlFailure(data: unknown, at: string): WatchedContent[] {
  const { crawlId, assemblyId, reason } = failedCrawl.parse(data)
  if (assemblyId === undefined) return []
  const title = `Crawl ${crawlId} of assembly ${assemblyId} failed`
  const about = { assetId: null, assemblyId, policyId: null, executionId: null, at }
  return [{ ...about, kind: 'CRAWL_FAILED', title, text: reason, link: linkOfCrawl(crawlId) }]
}

function ofVanishing(data: unknown, at: string, actor: string): WatchedContent[] {
  const { reason, assemblyId, ...asset } = vanished.parse(data)
  const because = (text: string) => changeOf(asset, at, { kind: 'ASSET_DELETED', what: 'was deleted', text })
  switch (reason) {
    case 'assembly-deleted':
      if (assemblyId === undefined) return [because(`${actor} deleted its assembly.`)]
      return [{ ...because(`${actor} deleted the assembly ${assemblyId}, with all its assets.`), assemblyId }]
    case 'view-deleted':
      return [because(`${actor} deleted the view.`)]
    default:
      return [because('A crawl no longer found it.')]
  }
}

const crawlEnds: ReadonlySet<string> = new Set(['CrawlFinished', 'CrawlFailed', 'CrawlAborted'])

/** The crawl or the deletion that wrote an event about an asset, or that ended with it. */
function causesOf(type: string, data: unknown): Pick<NotificationTrigger, 'cause' | 'ended'> {
  const [, name = ''] = /^io\.assay\.catalog\.(\w+)$/.exec(type) ?? []
  if (crawlEnds.has(name)) {
    const { crawlId: id, assemblyId } = endedCrawl.parse(data)
    return { ended: { type: 'crawl', id, assemblyId } }
  }
  if (name === 'AssemblyAssetsRemoved') {
    const { assemblyId } = removed.parse(data)
    return { ended: { type: 'deletion', id: assemblyId, assemblyId } }
  }
  if (!name.startsWith('Asset')) return {}
  const { crawlId } = crawled.parse(data)
  if (crawlId !== undefined) return { cause: { type: 'crawl', id: crawlId } }
  const { reason, assemblyId } = name === 'AssetVanished' ? vanished.parse(data) : {}
  if (reason !== 'assembly-deleted' || assemblyId === undefined) return {}
  return { cause: { type: 'deletion', id: assemblyId } }
}

/**
 * The notifications of a public event for the watchers of its assets; empty if the type triggers none. Throws a
 * ZodError if `message` is not an event or does not match its type. Pure.
 */
export function triggerOf(message: unknown): NotificationTrigger {
  const { id: eventId, type, time, data, actor = 'system' } = cloudEvent.parse(message)
  const of = (contents: WatchedContent[]): NotificationTrigger => ({ eventId, contents, ...causesOf(type, data) })
  if (type.startsWith(policyTypes)) return of(ofPolicyEvent(type.slice(policyTypes.length), data, time, actor))
  const changed = (kind: WatchedContent['kind'], what: string, text: string) =>
    of([changeOf(ofAsset.parse(data), time, { kind, what, text })])
  switch (type) {
    case 'io.assay.catalog.AssetDiscovered':
      return of(ofDiscovery(data, time))
    case 'io.assay.catalog.AssetSchemaChanged':
      return of(ofSchemaChange(data, time))
    case 'io.assay.catalog.AssetFactsObserved':
      return changed(
        'ASSET_CHANGED',
        'changed',
        'The number of rows, the size or the time of the last change is different.',
      )
    case 'io.assay.catalog.AssetPlaced':
      return changed('ASSET_CHANGED', 'was moved', 'It has another parent, assembly or type.')
    case 'io.assay.catalog.AssetReturned':
      return changed('ASSET_RETURNED', 'returned', 'The last crawl found it again.')
    case 'io.assay.catalog.AssetVanished':
      return of(ofVanishing(data, time, actor))
    case 'io.assay.catalog.AssetTagAdded':
      return of(ofTag(data, time, ['was tagged', `${actor} added the tag`]))
    case 'io.assay.catalog.AssetTagRemoved':
      return of(ofTag(data, time, ['lost the tag', `${actor} removed the tag`]))
    case 'io.assay.catalog.AssetLabelsReplaced':
      return changed('LABELS_CHANGED', 'has other labels', `${actor} changed the labels.`)
    case 'io.assay.catalog.CommentAdded':
      return { ...of(ofComment(data, time, actor)), mentions: mentionsOfComment(data, time, actor) }
    case 'io.assay.catalog.CommentEdited':
      return { ...of([]), mentions: mentionsOfComment(data, time, actor) }
    case 'io.assay.catalog.AssetConfigured':
    case 'io.assay.catalog.CustomMetadataSet':
      return changed('ASSET_CHANGED', 'was configured', `${actor} changed the configuration or the custom metadata.`)
    case 'io.assay.catalog.CrawlFailed':
      return of(ofCrawlFailure(data, time))
    case 'io.assay.execution.ExecutionFinished':
    case 'io.assay.execution.ExecutionFailed':
      return of(ofExecutionEnd(data, time))
    case 'io.assay.execution.FeedbackGiven':
      return of(ofFeedbackGiven(data, time, actor))
    case 'io.assay.execution.IncidentOpened':
      return of(ofIncidentEvent('OPENED', data, time))
    case 'io.assay.execution.IncidentWorsened':
      return of(ofIncidentEvent('WORSENED', data, time))
    case 'io.assay.execution.IncidentRecovered':
      return of(ofIncidentEvent('RECOVERED', data, time))
    case 'io.assay.execution.IncidentClosed':
      return of(ofIncidentEvent('CLOSED', data, time))
    default:
      return of([])
  }
}
