import { type AssetActivity, activityDenied, annotationOperations as operations } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import type { CommandHandler } from '@assay/event-store'
import { type Clock, isoTime, type Route, route } from '@assay/service-kit'
import { contextOf } from '../assemblies/assembly-routes.ts'
import { namedAsset } from '../assets/named-asset.ts'
import { comments } from '../comment/aggregate.ts'
import type { Popularity } from '../search/popularity.ts'
import { voteAggregate, voteKey, votes } from '../vote/aggregate.ts'

/** Votes and counts. The store counts them, so nothing grows with their number. */
export function activityRoutes(deps: {
  handler: CommandHandler
  documents: Documents
  clock: Clock
  popularity: Pick<Popularity, 'changed'>
}): Route[] {
  const { handler, documents, clock, popularity } = deps

  async function activity(tenant: string, user: string, assetId: number): Promise<AssetActivity> {
    const counted = (field: string) => ({ where: [{ field, is: assetId }], size: 0 })
    const [up, down, commented, own] = await Promise.all([
      documents.find(votes, tenant, counted('upOf')),
      documents.find(votes, tenant, counted('downOf')),
      documents.find(comments, tenant, counted('assetId')),
      documents.get(votes, tenant, voteKey(user, assetId)),
    ])
    return {
      upVoteCount: up.count,
      downVoteCount: down.count,
      commentCount: commented.count,
      upvoted: own?.document.vote === 'UP',
      downvoted: own?.document.vote === 'DOWN',
    }
  }

  return [
    route(operations.getAssetActivity, async (call) => {
      const { tenant, user } = call.identity
      const { id } = await namedAsset(documents, tenant, call.params.id, activityDenied)
      return { body: await activity(tenant, user, id) }
    }),
    route(operations.voteOnAsset, async (call) => {
      const { tenant, user } = call.identity
      const { id: assetId, uid } = await namedAsset(documents, tenant, call.params.id)
      const of = { assetId, uid, user, at: isoTime(clock.now()) }
      const command = { type: 'CastVote', ...of, vote: call.body.vote } as const
      const request = { tenant, id: voteKey(user, assetId), command, context: contextOf(call) }
      await handler.handle(voteAggregate, request)
      popularity.changed(tenant)
      return { body: await activity(tenant, user, assetId) }
    }),
  ]
}
