import type { Permission } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import type { CommandContext, CommandHandler, NumberBlocks } from '@assay/event-store'
import { type Clock, isoTime } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import type { AssetDocument } from '../asset/collections.ts'
import { type AssetTagDocument, assetTagAggregate, assetTagKey, assetTags } from '../asset-tag/aggregate.ts'
import type { Association } from '../asset-tag/asset-tag.ts'
import type { TagDocument } from '../tag/aggregate.ts'
import { tagNameOf } from '../tag/tag.ts'
import { assertMayLift } from './lifting.ts'
import type { Tags } from './tags.ts'

/** Maximum number of tags per asset. */
export const maxTags = 1000
const atOnce = 1000
/** Maximum number of tags shown of an asset: some assets have more tags than the current limit. Any can be removed. */
const maxShown = 10_000

/** A tag on an asset, with the current tag. */
export interface Carried {
  associationId: number
  assetId: number
  tag: TagDocument
}

export type Taggable = Pick<AssetDocument, 'id' | 'uid' | 'tableId'>

/** The tags of assets. */
export interface Tagging {
  /** The tags of an asset, in order of addition. A merged tag appears once, as its target. */
  of(tenant: string, assetId: number): Promise<Carried[]>
  /** The assets that have a protected tag. */
  protectedOf(tenant: string, assetIds: readonly number[]): Promise<ReadonlySet<number>>
  /**
   * Adds a tag, or returns the existing association. Throws `unprocessable` if the asset already has `maxTags` tags.
   * Concurrent additions may exceed that limit slightly.
   */
  add(tenant: string, asset: Taggable, tag: TagDocument, context: CommandContext): Promise<Carried>
  /** Like `add`, but without the limit, for an asset that is about to lose another tag. */
  move(tenant: string, asset: Taggable, tag: TagDocument, context: CommandContext): Promise<Carried>
  /**
   * Returns whether the asset had the tag. `tagId` may be the id of a merged tag. Throws `forbidden` if `permissions` do
   * not allow lifting the tag's protection.
   */
  remove(
    tenant: string,
    assetId: number,
    tagId: number,
    by: { context: CommandContext; permissions: ReadonlySet<Permission> },
  ): Promise<boolean>
  /** Removes exactly this association, even if its tag was merged. */
  drop(tenant: string, association: Association, tagName: string, context: CommandContext): Promise<boolean>
}

interface AddOptions {
  /** Whether `maxTags` applies. */
  isLimited: boolean
  context: CommandContext
}

export function createTagging(deps: {
  handler: CommandHandler
  documents: Documents
  numbers: NumberBlocks
  clock: Clock
  tags: Tags
}): Tagging {
  const { handler, documents, numbers, clock, tags } = deps
  const now = () => isoTime(clock.now())

  /** In order of addition. Each page begins after the last entry, so that concurrent removals do not shift pages. */
  async function* associationsOf(tenant: string, assetId: number): AsyncIterable<AssetTagDocument[]> {
    for (let from = 0; ; ) {
      const where = [
        { field: 'assetId', is: assetId },
        { field: 'id', from },
      ]
      const { documents: found } = await documents.find(assetTags, tenant, { where, size: atOnce })
      if (found.length > 0) yield found
      const last = found.at(-1)
      if (last === undefined || found.length < atOnce) return
      from = last.associationId + 1
    }
  }

  async function requireRoom(tenant: string, assetId: number): Promise<void> {
    const { count } = await documents.find(assetTags, tenant, { where: [{ field: 'assetId', is: assetId }], size: 0 })
    if (count >= maxTags)
      throw new AssayError('unprocessable', `An asset has at most ${maxTags} tags. Remove one first.`)
  }

  async function drop(tenant: string, association: Association, tagName: string, context: CommandContext) {
    const command = { type: 'RemoveAssetTag', at: now(), by: context.actor, tagName } as const
    const id = assetTagKey(association.assetId, association.tagId)
    const { events } = await handler.handle(assetTagAggregate, { tenant, id, command, context })
    return events.length > 0
  }

  async function put(tenant: string, asset: Taggable, tag: TagDocument, { isLimited, context }: AddOptions) {
    const id = assetTagKey(asset.id, tag.id)
    const known = await handler.load(assetTagAggregate, tenant, id)
    if (known.state.status === 'present')
      return { associationId: known.state.association.associationId, assetId: asset.id, tag }
    if (isLimited) await requireRoom(tenant, asset.id)
    const [associationId = 0] = known.state.status === 'absent' ? await numbers.take(tenant, 'assettag') : []
    const { state } = await handler.handle(assetTagAggregate, {
      tenant,
      id,
      command: {
        type: 'AddAssetTag',
        associationId,
        assetId: asset.id,
        uid: asset.uid,
        tableId: asset.tableId ?? asset.id,
        tagId: tag.id,
        tagName: tagNameOf(tag),
        at: now(),
        by: context.actor,
      },
      context,
    })
    const carried = state.status === 'absent' ? associationId : state.association.associationId
    return { associationId: carried, assetId: asset.id, tag }
  }

  async function assign(tenant: string, asset: Taggable, tag: TagDocument, options: AddOptions): Promise<Carried> {
    const { context } = options
    const carried = await put(tenant, asset, tag, options)
    // The tag may have been merged meanwhile, and its move may have ended before this addition.
    const now = (await tags.resolve(tenant, [tag.id])).get(tag.id)
    if (now === undefined || now.id === tag.id) return carried
    const moved = await put(tenant, asset, now, { isLimited: false, context })
    const { associationId } = carried
    const { id: assetId, uid } = asset
    const association = { associationId, assetId, uid, tableId: asset.tableId ?? assetId, tagId: tag.id }
    await drop(tenant, association, tagNameOf(tag), context)
    return moved
  }

  return {
    drop,
    async of(tenant, assetId) {
      const carried = new Map<number, Carried>()
      let seen = 0
      for await (const found of associationsOf(tenant, assetId)) {
        const resolved = await tags.resolve(
          tenant,
          found.map(({ tagId }) => tagId),
        )
        for (const { associationId, tagId } of found) {
          const tag = resolved.get(tagId)
          if (tag !== undefined && !carried.has(tag.id)) carried.set(tag.id, { associationId, assetId, tag })
        }
        seen += found.length
        if (seen >= maxShown) break
      }
      return [...carried.values()]
    },
    async protectedOf(tenant, assetIds) {
      const isProtected = new Set<number>()
      if (assetIds.length === 0) return isProtected
      const where = [{ field: 'assetId', in: assetIds }]
      for (let page = 0; ; page++) {
        const { documents: found } = await documents.find(assetTags, tenant, { where, page, size: atOnce })
        const resolved = await tags.resolve(
          tenant,
          found.map(({ tagId }) => tagId),
        )
        for (const { assetId, tagId } of found) {
          if (resolved.get(tagId)?.protectedData === true) isProtected.add(assetId)
        }
        if (found.length < atOnce) return isProtected
      }
    },
    add: (tenant, asset, tag, context) => assign(tenant, asset, tag, { isLimited: true, context }),
    move: (tenant, asset, tag, context) => assign(tenant, asset, tag, { isLimited: false, context }),
    async remove(tenant, assetId, tagId, { context, permissions }) {
      const wanted = (await tags.resolve(tenant, [tagId])).get(tagId)
      if (wanted === undefined) return false
      let isRemoved = false
      for await (const found of associationsOf(tenant, assetId)) {
        const resolved = await tags.resolve(
          tenant,
          found.map((association) => association.tagId),
        )
        for (const association of found) {
          if (resolved.get(association.tagId)?.id !== wanted.id) continue
          assertMayLift(wanted, permissions)
          isRemoved = (await drop(tenant, association, tagNameOf(wanted), context)) || isRemoved
        }
      }
      return isRemoved
    },
  }
}
