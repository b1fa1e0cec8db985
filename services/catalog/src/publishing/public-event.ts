import { type CloudEvent, cloudEventOf } from '@assay/contracts'
import { eventOf, type NewEvent, parseStreamName, type RecordedEvent } from '@assay/event-store'
import { assemblyAggregate } from '../assembly/aggregate.ts'
import type { AssemblyEvent } from '../assembly/assembly.ts'
import { assetAggregate } from '../asset/aggregate.ts'
import type { AssetEvent, Facts, NewColumn } from '../asset/asset.ts'
import { crawlAggregate } from '../crawl/aggregate.ts'
import { crawlOfCorrelation } from '../crawl/correlation.ts'
import type { CrawlEvent } from '../crawl/crawl.ts'
import { assetTypeOf } from '../types/asset-types.ts'
import { sourceTypeOf } from '../types/source-types.ts'
import { annotationEvent, publicAnnotation } from './public-annotation.ts'

export type CatalogEvent = AssetEvent | AssemblyEvent | CrawlEvent

/** The public form of an event, without configuration and locator, which hold host paths and may hold secrets. */
export interface PublicForm {
  subject: string
  key: string
  data: { [key: string]: unknown }
}

function publicColumn({ id, uid, path, parentId, dataType, nullable }: NewColumn) {
  return { assetId: id, uid, name: path.at(-1), parentId, dataType, nullable }
}

function publicFacts({ rowCount, sizeBytes, lastChangedAt, fileCount }: Facts) {
  return { rowCount, sizeBytes, lastChangedAt, fileCount }
}

function ofAsset(event: AssetEvent, more: { [key: string]: unknown }): PublicForm {
  const { assetId, uid, at } = event.data
  return { subject: `asset/${assetId}`, key: String(assetId), data: { assetId, uid, at, ...more } }
}

function ofAssembly(event: AssemblyEvent, more: { [key: string]: unknown }): PublicForm {
  const { assemblyId, at, by } = event.data
  return { subject: `assembly/${assemblyId}`, key: `assembly-${assemblyId}`, data: { assemblyId, at, by, ...more } }
}

function ofCrawl(event: CrawlEvent, more: { [key: string]: unknown }): PublicForm {
  const { crawlId, at } = event.data
  return { subject: `crawl/${crawlId}`, key: `crawl-${crawlId}`, data: { crawlId, at, ...more } }
}

/** The state of every crawl before its end. */
const running = { status: 'RUNNING' }

/** `undefined` for internal events. */
function publicForm(event: CatalogEvent): PublicForm | undefined {
  switch (event.type) {
    case 'AssetDiscovered': {
      const { name, naturalPath, placement, columns, facts } = event.data
      const assetType = assetTypeOf(placement.assetTypeId).name
      const about = { name, path: naturalPath.slice(1), ...placement, assetType, columns: columns.map(publicColumn) }
      return ofAsset(event, { ...about, ...(facts === null ? {} : publicFacts(facts)) })
    }
    case 'AssetSchemaChanged': {
      const { added, returned, changed, removed } = event.data
      return ofAsset(event, { added: added.map(publicColumn), returned, changed, removed })
    }
    case 'AssetFactsObserved':
      return ofAsset(event, publicFacts(event.data.facts))
    case 'AssetPlaced':
    case 'AssetReturned': {
      const { assetTypeId, ...placement } = event.data.placement
      return ofAsset(event, { ...placement, assetType: assetTypeOf(assetTypeId).name })
    }
    case 'AssetVanished':
      return ofAsset(event, { reason: event.data.reason, assemblyId: event.data.assemblyId })
    case 'AssemblyCreated': {
      const { name, description } = event.data.definition
      return ofAssembly(event, { name, description, sourceType: sourceTypeOf(event.data.sourceTypeId).name })
    }
    case 'AssemblyUpdated': {
      const { name, description } = event.data.definition
      return ofAssembly(event, { name, description })
    }
    case 'AssemblyDeleted':
      return ofAssembly(event, {})
    case 'AssemblyAssetsRemoved':
      return ofAssembly(event, { assets: event.data.assets })
    case 'CrawlStarted':
      return ofCrawl(event, { assemblyId: event.data.assemblyId, by: event.data.by })
    case 'CrawlFinished':
      return ofCrawl(event, { before: running, ...event.data.counts })
    case 'CrawlFailed':
    case 'CrawlAborted':
      return ofCrawl(event, { before: running, ...event.data.counts, reason: event.data.reason })
    case 'CrawlClaimed':
    case 'CrawlProgressed':
    case 'CrawlReleased':
    case 'AssemblyCrawlBegun':
    case 'AssemblyCrawlSkipped':
    case 'AssemblyCrawlEnded':
      return undefined
    default:
      return event satisfies never
  }
}

function catalogEvent(recorded: RecordedEvent): CatalogEvent | undefined {
  switch (parseStreamName(recorded.stream)?.category) {
    case assemblyAggregate.category:
      return eventOf(assemblyAggregate, recorded)
    case crawlAggregate.category:
      return eventOf(crawlAggregate, recorded)
    case assetAggregate.category:
      return eventOf(assetAggregate, recorded)
    default:
      return undefined
  }
}

/** Whether an event written to a stream is published. */
export function isPublished(event: NewEvent, stream: string): boolean {
  return publicEvent({ ...event, stream, revision: 0, position: '', recordedAt: '' }) !== undefined
}

/** The CloudEvent of a catalog event, with the key that keeps the events of one entity in order. */
export function publicEvent(
  recorded: RecordedEvent,
): { key: string; data: PublicForm['data']; event: CloudEvent } | undefined {
  const current = catalogEvent(recorded)
  const annotation = annotationEvent(recorded)
  const form = current ? publicForm(current) : annotation && publicAnnotation(annotation)
  if (form === undefined) return undefined
  const crawlId = current === undefined ? undefined : crawlOfCorrelation(recorded.metadata)
  const data = crawlId === undefined ? form.data : { ...form.data, crawlId }
  return { key: form.key, data, event: cloudEventOf('catalog', recorded, { ...form, data }) }
}
