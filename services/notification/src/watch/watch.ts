import {
  incidentKinds,
  type NotificationKind,
  type NotificationSeverity,
  notificationKind,
  notificationSeverity,
  severityRank,
} from '@assay/contracts'
import { AssayError } from '@assay/service-kit/errors'
import { z } from 'zod'
import { type WatchedSearch, watchedSearch } from './search.ts'

/** What a watch is about: exactly one of these. */
export type WatchTarget = {
  assetId?: number
  policyId?: number
  assemblyId?: number
  tagId?: number
  search?: WatchedSearch
}

const narrowing = z.object({
  /** Null means all kinds, without those of incidents. */
  kinds: z.array(notificationKind).nullable(),
  minSeverity: notificationSeverity.nullable(),
})
/** What a watch lets pass. */
export type Narrowing = z.infer<typeof narrowing>
export const allPass: Narrowing = { kinds: null, minSeverity: null }

export type WatchEvent =
  | { type: 'AssetWatched'; data: WatchTarget & Partial<Narrowing> & { watchId: number; user: string; at: string } }
  | { type: 'WatchNarrowed'; data: Narrowing & { at: string; before: Narrowing } }
  | { type: 'AssetUnwatched'; data: WatchTarget & { user: string; at: string } }

/** The document of a watch. Times are ISO 8601 UTC. */
export const watch = narrowing.extend({
  watchId: z.int(),
  assetId: z.int().nullable(),
  policyId: z.int().nullable(),
  assemblyId: z.int().nullable(),
  tagId: z.int().nullable(),
  /** Null in watches of things. */
  search: watchedSearch.nullable(),
  user: z.string(),
  since: z.string(),
  updatedAt: z.string(),
})
export type Watch = z.infer<typeof watch>

/** One user's watch of one thing. An ended watch keeps its id, in case it begins again. */
export type WatchState = { status: 'none' } | { status: 'watching'; watch: Watch } | { status: 'ended'; watch: Watch }

export const noWatch: WatchState = { status: 'none' }

/** The fields that a request changes: absent ones stay. Pure. */
export function narrowingOf({
  kinds,
  minSeverity,
}: { [Name in keyof Narrowing]?: Narrowing[Name] | undefined } = {}): Partial<Narrowing> {
  return { ...(kinds === undefined ? {} : { kinds }), ...(minSeverity === undefined ? {} : { minSeverity }) }
}

/** The thing that a watch is about. Pure. */
export function targetOf(
  of: { readonly [Name in keyof WatchTarget]?: WatchTarget[Name] | null | undefined },
): WatchTarget {
  const { assetId, policyId, assemblyId, tagId, search } = of
  if (assetId != null) return { assetId }
  if (policyId != null) return { policyId }
  if (assemblyId != null) return { assemblyId }
  if (tagId != null) return { tagId }
  return search == null ? {} : { search }
}

export function evolve(state: WatchState, event: WatchEvent): WatchState {
  switch (event.type) {
    case 'AssetWatched': {
      const { watchId, user, at, kinds = null, minSeverity = null } = event.data
      const { assetId = null, policyId = null, assemblyId = null, tagId = null, search = null } = event.data
      const target = { assetId, policyId, assemblyId, tagId, search }
      return { status: 'watching', watch: { watchId, ...target, user, since: at, updatedAt: at, kinds, minSeverity } }
    }
    case 'WatchNarrowed': {
      const { kinds, minSeverity, at: updatedAt } = event.data
      return state.status === 'none' ? state : { ...state, watch: { ...state.watch, kinds, minSeverity, updatedAt } }
    }
    case 'AssetUnwatched':
      return state.status === 'watching' ? { status: 'ended', watch: state.watch } : state
    default:
      return event satisfies never
  }
}

/** `watchId` is used only if the watch never existed. Absent fields of `narrowing` stay. */
export type WatchCommand =
  | { type: 'Watch'; watchId: number; target: WatchTarget; user: string; narrowing: Partial<Narrowing>; at: string }
  | { type: 'NarrowWatch'; narrowing: Partial<Narrowing>; at: string }
  | { type: 'Unwatch'; at: string }

/** Repeating a command changes nothing, except that ending a watch that does not exist throws `not-found`. */
export function decide(command: WatchCommand, state: WatchState): WatchEvent[] {
  switch (command.type) {
    case 'Watch': {
      const { target, user, narrowing: asked, at } = command
      if (state.status === 'watching') return narrowed(state.watch, asked, at)
      const watchId = state.status === 'ended' ? state.watch.watchId : command.watchId
      const passing = asked.kinds == null && asked.minSeverity == null ? {} : { ...allPass, ...asked }
      return [{ type: 'AssetWatched', data: { watchId, ...target, user, ...passing, at } }]
    }
    case 'NarrowWatch':
      if (state.status !== 'watching') throw new AssayError('not-found', 'You have no such watch.')
      return narrowed(state.watch, command.narrowing, command.at)
    case 'Unwatch': {
      if (state.status !== 'watching') throw new AssayError('not-found', 'You do not watch this asset.')
      const { user } = state.watch
      return [{ type: 'AssetUnwatched', data: { ...targetOf(state.watch), user, at: command.at } }]
    }
    default:
      return command satisfies never
  }
}

function narrowed(
  { kinds, minSeverity }: Narrowing,
  asked: Partial<Narrowing>,
  at: string,
): Extract<WatchEvent, { type: 'WatchNarrowed' }>[] {
  const next = {
    kinds: asked.kinds === undefined ? kinds : asked.kinds,
    minSeverity: asked.minSeverity === undefined ? minSeverity : asked.minSeverity,
  }
  const isSame = JSON.stringify(next) === JSON.stringify({ kinds, minSeverity })
  return isSame ? [] : [{ type: 'WatchNarrowed', data: { ...next, at, before: { kinds, minSeverity } } }]
}

/** Whether a watch lets a notification pass. Incidents pass only if the watch names their kind. Pure. */
export function lets(
  { kinds, minSeverity }: Narrowing,
  { kind, severity }: { kind: NotificationKind; severity: NotificationSeverity },
): boolean {
  const fitsKind = kinds === null ? !incidentKinds.has(kind) : kinds.includes(kind)
  return fitsKind && (minSeverity === null || severityRank(severity) >= severityRank(minSeverity))
}
