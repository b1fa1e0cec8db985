import { defineCollection, documentPut } from '@assay/documents'
import type { Aggregate } from '@assay/event-store'
import { uuidV5 } from '@assay/service-kit'
import {
  decide,
  evolve,
  noWatch,
  targetOf,
  type Watch,
  type WatchCommand,
  type WatchEvent,
  type WatchState,
  type WatchTarget,
  watch,
} from './watch.ts'

/** The target of all watches of searches: each event asks all of them. */
export const searchTarget = 'search'

/** One document per active watch. */
export const watches = defineCollection<Watch>({
  name: 'watches',
  version: 4,
  idType: 'text',
  schema: watch,
  fields: {
    assetId: { type: 'integer', of: ({ assetId }) => assetId },
    /** What it is about: `asset/11`, `policy/7`, `assembly/3`, `tag/5`, or `search` for all searches. */
    target: { type: 'text', of: (of) => (of.search === null ? targetName(targetOf(of)) : searchTarget) },
    // Watches are listed by user and triggered by asset.
    user: { type: 'text', of: ({ user }) => user, alone: false },
    watchId: { type: 'integer', of: ({ watchId }) => watchId, required: true, alone: false },
    since: { type: 'text', of: ({ since }) => since, required: true, alone: false },
  },
  listings: [['user', 'since', 'watchId']],
})

/** `asset/11`, `policy/7`, `assembly/3`, `tag/5`, or `search/` and its filters. Pure. */
export function targetName({ assetId, policyId, assemblyId, tagId, search }: WatchTarget): string {
  if (assetId !== undefined) return `asset/${assetId}`
  if (policyId !== undefined) return `policy/${policyId}`
  if (search !== undefined) return `search/${JSON.stringify(Object.entries(search).toSorted())}`
  return assemblyId === undefined ? `tag/${tagId}` : `assembly/${assemblyId}`
}

/** The id of one user's watch, in the log and among the documents. Pure. */
export function watchKeyOf(user: string, target: WatchTarget): string {
  return target.assetId === undefined ? uuidV5('watch', user, targetName(target)) : watchKey(user, target.assetId)
}

/** The id of one user's watch of one asset, in the log and among the documents. */
export function watchKey(user: string, assetId: number): string {
  return uuidV5('watch', user, String(assetId))
}

/** Streams `<tenant>/watch-<watchKey>`. */
export const watchAggregate: Aggregate<WatchState, WatchCommand, WatchEvent> = {
  category: 'watch',
  decider: { initialState: noWatch, decide, evolve },
  schemaVersion: 1,
  documents: (state, { tenant, id }, source) =>
    state.status === 'none'
      ? []
      : [documentPut(watches, tenant, id, state.status === 'watching' ? state.watch : null, source)],
}
