import type { RecordedEvent } from '@assay/event-store'
import { eventOf } from '@assay/event-store'
import { assetAggregate } from '../asset/aggregate.ts'
import type { AssetState } from '../asset/asset.ts'
import type { CrawlState } from '../crawl/crawl.ts'

/** The assembly of a crawl: the events of its end name only the crawl. Pure. */
export function crawledAssembly(state: CrawlState): { assemblyId: number } | undefined {
  return state.status === 'absent' ? undefined : { assemblyId: state.assemblyId }
}

/** Names of the columns that an `AssetSchemaChanged` names only by id. `state`: the asset after it. Pure. */
export function columnNames(state: AssetState, recorded: RecordedEvent): { assetId: number; name: string }[] {
  const event = eventOf(assetAggregate, recorded)
  if (state.status === 'absent' || event.type !== 'AssetSchemaChanged') return []
  const { returned, changed, removed } = event.data
  const named = new Set([...returned, ...changed].map(({ id }) => id).concat(removed))
  return state.columns.filter(({ id }) => named.has(id)).map(({ id, path }) => ({ assetId: id, name: path.join('.') }))
}
