import { AssayError } from '@assay/service-kit/errors'
import { z } from 'zod'

export type WatchEvent =
  | { type: 'AssetWatched'; data: { watchId: number; assetId: number; user: string; at: string } }
  | { type: 'AssetUnwatched'; data: { assetId: number; user: string; at: string } }

/** The document of a watch. Times are ISO 8601 UTC. */
export const watch = z.object({ watchId: z.int(), assetId: z.int(), user: z.string(), since: z.string() })
export type Watch = z.infer<typeof watch>

/** One user's watch of one asset. An ended watch keeps its id, in case it begins again. */
export type WatchState = { status: 'none' } | { status: 'watching'; watch: Watch } | { status: 'ended'; watch: Watch }

export const noWatch: WatchState = { status: 'none' }

export function evolve(state: WatchState, event: WatchEvent): WatchState {
  switch (event.type) {
    case 'AssetWatched': {
      const { watchId, assetId, user, at } = event.data
      return { status: 'watching', watch: { watchId, assetId, user, since: at } }
    }
    case 'AssetUnwatched':
      return state.status === 'watching' ? { status: 'ended', watch: state.watch } : state
    default:
      return event satisfies never
  }
}

/** `watchId` is used only if the watch never existed. */
export type WatchCommand =
  | { type: 'WatchAsset'; watchId: number; assetId: number; user: string; at: string }
  | { type: 'UnwatchAsset'; at: string }

export function decide(command: WatchCommand, state: WatchState): WatchEvent[] {
  switch (command.type) {
    case 'WatchAsset': {
      if (state.status === 'watching') return []
      const { assetId, user, at } = command
      const watchId = state.status === 'ended' ? state.watch.watchId : command.watchId
      return [{ type: 'AssetWatched', data: { watchId, assetId, user, at } }]
    }
    case 'UnwatchAsset': {
      if (state.status !== 'watching') throw new AssayError('not-found', 'You do not watch this asset.')
      const { assetId, user } = state.watch
      return [{ type: 'AssetUnwatched', data: { assetId, user, at: command.at } }]
    }
    default:
      return command satisfies never
  }
}
