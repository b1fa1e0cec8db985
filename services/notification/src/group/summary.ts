import type { NotificationKind } from '@assay/contracts'
import type { Cause } from '../notification/aggregate.ts'
import type { GroupContent, StoredNotification } from '../notification/notification.ts'
import { filteredOf } from '../notification/of-parts.ts'
import { linkOfCrawl, linkOfDeletedAssets } from '../triggers/links.ts'

/** Kinds of changes, the most severe first, each with its word in the title of a row. */
const gravity: readonly (readonly [kind: NotificationKind, word: string])[] = [
  ['ASSET_DELETED', 'deleted'],
  ['SCHEMA_CHANGED', 'with other columns'],
  ['ASSET_RETURNED', 'returned'],
  ['ASSET_CREATED', 'new'],
  ['ASSET_CHANGED', 'changed'],
]
const rankOf = (kind: NotificationKind) => {
  const rank = gravity.findIndex(([each]) => each === kind)
  return rank === -1 ? gravity.length : rank
}

/** Maximum number of parts that a text names. */
const maxNamed = 5

/** A summary of the parts of one recipient. Its size does not grow with the number of parts of an asset. */
export interface Gathered {
  parts: number
  /** The most severe kind of change of each asset. */
  assets: Map<number, NotificationKind>
  /** The most severe parts: one per asset, at most `maxNamed`. */
  named: StoredNotification[]
  latestAt: string
  /** The parts' kinds and severities, each once. */
  ofParts: NonNullable<GroupContent['ofParts']>
}

export const nothingGathered = (): Gathered => ({ parts: 0, assets: new Map(), named: [], latestAt: '', ofParts: [] })

/** Adds a part to `gathered`, in place. */
export function gather(gathered: Gathered, part: StoredNotification): void {
  gathered.parts += 1
  if (part.at > gathered.latestAt) gathered.latestAt = part.at
  gathered.ofParts = filteredOf([...gathered.ofParts, part])
  const { assetId, kind } = part
  if (assetId === null) return
  const known = gathered.assets.get(assetId)
  if (known !== undefined && rankOf(known) <= rankOf(kind)) return
  gathered.assets.set(assetId, kind)
  const others = gathered.named.filter((each) => each.assetId !== assetId)
  gathered.named = [...others, part].sort(byGravity).slice(0, maxNamed)
}

function byGravity(a: StoredNotification, b: StoredNotification): number {
  return rankOf(a.kind) - rankOf(b.kind) || a.notificationId - b.notificationId
}

/** What a row summarizes: a crawl, or the deletion of an assembly. */
export interface Summarized extends Cause {
  assemblyName: string | undefined
}

/** The title and the link of a row about several assets. Pure. */
function headOf({ type, id, assemblyName }: Summarized, count: number, counted: readonly string[]) {
  if (type === 'deletion')
    return { title: `${count} assets were deleted with assembly ${assemblyName ?? id}`, link: linkOfDeletedAssets(id) }
  const crawl = assemblyName === undefined ? `Crawl ${id}` : `Crawl ${id} of ${assemblyName}`
  return { title: `${crawl} changed ${count} assets: ${counted.join(', ')}`, link: linkOfCrawl(id) }
}

/** The row of a crawl or a deletion for one recipient; `undefined` without parts. Pure. */
export function rowOf(
  summarized: Summarized,
  { parts, assets, named, latestAt, ofParts }: Gathered,
): (GroupContent & { count: number; parts: number; watch: string | null }) | undefined {
  const [mostSevere] = named
  if (mostSevere === undefined) return undefined
  const { kind, severity, assetId, title, text, link, watch } = mostSevere
  const of = { kind, severity, policyId: null, executionId: null, at: latestAt, count: assets.size, parts, watch }
  const shown = { ...of, about: 'asset' as const, ofParts }
  if (assets.size === 1) return { ...shown, assetId, title, text, link }
  const counted = gravity.flatMap(([each, word]) => {
    const count = [...assets.values()].filter((of) => of === each).length
    return count === 0 ? [] : [`${count} ${word}`]
  })
  const more = assets.size - named.length
  // Each part of a deletion says who deleted the assembly.
  const says = summarized.type === 'deletion' ? `${text} ` : ''
  const names = named.map((part) => `${part.title}.`).join(' ')
  return {
    ...shown,
    assetId: null,
    ...headOf(summarized, assets.size, counted),
    text: more > 0 ? `${says}${names} And ${more} more.` : `${says}${names}`,
  }
}
