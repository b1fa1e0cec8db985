import { defineCollection, documentPut } from '@assay/documents'
import type { Aggregate } from '@assay/event-store'
import { uuidV5 } from '@assay/service-kit'
import {
  decide,
  evolve,
  noWatch,
  type Watch,
  type WatchCommand,
  type WatchEvent,
  type WatchState,
  watch,
} from './watch.ts'

/** One document per active watch. */
export const watches = defineCollection<Watch>({
  name: 'watches',
  version: 2,
  idType: 'text',
  schema: watch,
  fields: {
    assetId: { type: 'integer', of: ({ assetId }) => assetId },
    // Watches are listed by user and triggered by asset.
    user: { type: 'text', of: ({ user }) => user, alone: false },
    watchId: { type: 'integer', of: ({ watchId }) => watchId, required: true, alone: false },
    since: { type: 'text', of: ({ since }) => since, required: true, alone: false },
  },
  listings: [['user', 'since', 'watchId']],
})

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
