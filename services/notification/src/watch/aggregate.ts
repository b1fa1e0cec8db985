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

/** One document per active watch. */
export const watches = defineCollection<Watch>({
  name: 'watches',
  version: 3,
  idType: 'text',
  schema: watch,
  fields: {
    assetId: { type: 'integer', of: ({ assetId }) => assetId },
    /** What it is about: `asset/11`, `policy/7`, `assembly/3` or `tag/5`. */
    target: { type: 'text', of: (of) => targetName(targetOf(of)) },
    // Watches are listed by user and triggered by asset.
    user: { type: 'text', of: ({ user }) => user, alone: false },
    watchId: { type: 'integer', of: ({ watchId }) => watchId, required: true, alone: false },
    since: { type: 'text', of: ({ since }) => since, required: true, alone: false },
  },
  listings: [['user', 'since', 'watchId']],
})

/** `asset/11`, `policy/7`, `assembly/3` or `tag/5`. Pure. */
export function targetName({ assetId, policyId, assemblyId, tagId }: WatchTarget): string {
  if (assetId !== undefined) return `asset/${assetId}`
  if (policyId !== undefined) return `policy/${policyId}`
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
