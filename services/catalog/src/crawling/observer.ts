import type { Documents } from '@assay/documents'
import type { CommandContext, CommandHandler, NumberBlocks } from '@assay/event-store'
import { type Clock, isoTime } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { assetAggregate } from '../asset/aggregate.ts'
import type { AssetState, Facts, NewColumn, Placement } from '../asset/asset.ts'
import { isSamePath } from '../asset/asset.ts'
import { assets } from '../asset/collections.ts'
import { columnKey, diffColumns, type FoundColumn } from '../asset/column-diff.ts'
import { decideAsset, type ObserveAsset } from '../asset/decide.ts'
import { assetStreamId, uidCandidate, uidOf } from '../asset/uid.ts'
import type { UidClaims } from './uid-claims.ts'
import type { UidReservations } from './uid-reservations.ts'

/** Maximum number of UIDs per query. */
const uidsAtOnce = 500
/** Maximum suffixes tried; real sources have far fewer similar names. */
const maxSuffix = 1000

/** A table or container in a crawl. `parts`: names from below the assembly down to its own. */
export interface FoundAsset {
  kind: 'table' | 'container' | 'sql-view'
  parts: string[]
  placement: Placement
  columns: FoundColumn[]
  facts: Facts | null
}

/** `revision`: of the asset's stream; absent if the state that was read is unchanged. */
export type Observed = { id: number; outcome: 'added' | 'changed' | 'unchanged'; revision?: number }

export interface Observer {
  /**
   * Writes the changes of an asset, if there are any. A known asset, live or vanished, and its columns keep their ids
   * and UIDs.
   */
  observe(found: FoundAsset): Promise<Observed>
  /** The id of a known table, live or vanished; `undefined` if there is none. */
  idOf(parts: string[]): Promise<number | undefined>
}

export interface ObserverTools {
  handler: CommandHandler
  documents: Documents
  numbers: NumberBlocks
  claims: UidClaims
  uidReservations: UidReservations
  clock: Clock
}

/** For one crawl of one assembly. `isAlive`: whether an assembly still exists. */
export function createObserver(
  deps: ObserverTools,
  crawl: {
    tenant: string
    assemblyId: number
    uidPrefix: string
    isAlive: (assemblyId: number) => Promise<boolean>
    context: CommandContext
  },
): Observer {
  const { handler, documents, numbers, claims, uidReservations, clock } = deps
  const { tenant, assemblyId, uidPrefix, isAlive, context } = crawl

  /** The UIDs that other assets have. */
  async function takenUids(uids: readonly string[]): Promise<Set<string>> {
    const taken = new Set<string>()
    for (let from = 0; from < uids.length; from += uidsAtOnce) {
      const slice = uids.slice(from, from + uidsAtOnce)
      // Sorts by the filtered field, so that every store uses its index. Sorted by id, one store would scan all assets.
      const found = await documents.find(assets, tenant, {
        where: [{ field: 'uid', in: slice }],
        sort: [{ field: 'uid', direction: 'asc' }],
        size: slice.length,
      })
      for (const asset of found.documents) taken.add(asset.uid)
    }
    return taken
  }

  /** Reserves UIDs for `assetUid` or its columns; returns the UIDs that other assets have, or are about to get. */
  async function unavailable(uids: readonly string[], assetUid: string): Promise<Set<string>> {
    const refused = await uidReservations.reserve(tenant, uids, assetUid)
    const taken = await takenUids(uids.filter((uid) => !refused.has(uid)))
    return new Set([...refused, ...taken])
  }

  /** Also removes them from `claimed`, because another asset may claim them from now on. */
  function release(uids: readonly string[], claimed: Set<string>): void {
    uidReservations.release(tenant, uids)
    claims.release(tenant, uids)
    for (const uid of uids) claimed.delete(uid)
  }

  /** Whether the asset has this path in the source, and no other live assembly owns it. */
  async function isOurs(state: AssetState, naturalPath: readonly string[]): Promise<boolean> {
    if (state.status === 'absent' || !isSamePath(state.naturalPath, naturalPath)) return false
    return state.placement.assemblyId === assemblyId || !(await isAlive(state.placement.assemblyId))
  }

  /** The UID of the known asset, or the first free one. Claims it; `claimed` collects the UIDs to release. */
  async function findUid(naturalPath: string[], uid: string, claimed: Set<string>) {
    for (let n = 1; n <= maxSuffix; n++) {
      const candidate = uidCandidate(uid, n)
      const claim = claims.claim(tenant, candidate, columnKey(naturalPath))
      if (claim === 'own')
        throw new AssayError(
          'unprocessable',
          'The source has two tables or folders with this path. Rename one of them and crawl again.',
        )
      if (claim === 'taken') continue
      claimed.add(candidate)
      const { state } = await handler.load(assetAggregate, tenant, assetStreamId(candidate))
      const fits =
        state.status === 'absent'
          ? (await unavailable([candidate], candidate)).size === 0
          : await isOurs(state, naturalPath)
      if (fits) return { uid: candidate, state }
      release([candidate], claimed)
    }
    throw new AssayError('unprocessable', `No free UID was found for ${uid}. Rename it in the source and crawl again.`)
  }

  /**
   * A UID for each of the columns of the asset `assetUid`. Claims them; `claimed` has them before anything can fail.
   */
  async function columnUids(
    { naturalPath, parts, assetUid }: { naturalPath: string[]; parts: string[]; assetUid: string },
    columns: FoundColumn[],
    claimed: Set<string>,
  ) {
    const uids = new Map<string, string>()
    let open = columns
    for (let n = 1; open.length > 0 && n <= maxSuffix; n++) {
      const candidates = open.map((column) => uidCandidate(uidOf([uidPrefix, ...parts, ...column.path]), n))
      const ours = candidates.map((candidate, index) => {
        const key = columnKey([...naturalPath, ...(open[index]?.path ?? [])])
        return claims.claim(tenant, candidate, key) === 'claimed'
      })
      const asked = candidates.filter((_, index) => ours[index])
      for (const uid of asked) claimed.add(uid)
      const gone = await unavailable(asked, assetUid)
      release([...gone], claimed)
      open = open.filter((column, index) => {
        const candidate = candidates[index] ?? ''
        if (!ours[index] || gone.has(candidate)) return true
        uids.set(columnKey(column.path), candidate)
        return false
      })
    }
    return uids
  }

  /** Ids and UIDs for new columns, and an id for a new table. */
  async function prepare(
    found: FoundAsset,
    { naturalPath, uid, state }: { naturalPath: string[]; uid: string; state: AssetState },
    claimed: Set<string>,
  ) {
    const known = state.status === 'absent' ? [] : state.columns
    const fresh = state.status === 'absent' ? found.columns : diffColumns(known, found.columns).added
    const uids = await columnUids({ naturalPath, parts: found.parts, assetUid: uid }, fresh, claimed)
    const wanted = fresh.length + (state.status === 'absent' ? 1 : 0)
    const ids = wanted === 0 ? [] : await numbers.take(tenant, 'asset', wanted)
    const assetId = state.status === 'absent' ? (ids.shift() ?? 0) : state.id
    const idOf = new Map(known.map((column) => [columnKey(column.path), column.id]))
    const newColumns = fresh.map((column, index): NewColumn => {
      const id = ids[index] ?? 0
      idOf.set(columnKey(column.path), id)
      const parentId = idOf.get(columnKey(column.path.slice(0, -1))) ?? assetId
      return { ...column, id, uid: uids.get(columnKey(column.path)) ?? '', parentId }
    })
    return { assetId, newColumns }
  }

  return {
    async idOf(parts) {
      const uid = uidOf([uidPrefix, ...parts])
      for (let n = 1; n <= maxSuffix; n++) {
        const candidate = uidCandidate(uid, n)
        const { state } = await handler.load(assetAggregate, tenant, assetStreamId(candidate))
        if (await isOurs(state, ['table', uidPrefix, ...parts])) return state.status === 'absent' ? undefined : state.id
        if (state.status === 'absent' && !(await takenUids([candidate])).has(candidate)) return undefined
      }
      return undefined
    },
    async observe(found) {
      const { kind, parts, placement, columns, facts } = found
      // A folder and a set of files with the same path are two assets.
      const naturalPath = [kind, uidPrefix, ...parts]
      const claimed = new Set<string>()
      const startedAt = clock.now()
      try {
        const { uid, state } = await findUid(naturalPath, uidOf([uidPrefix, ...parts]), claimed)
        const { assetId, newColumns } = await prepare(found, { naturalPath, uid, state }, claimed)
        const name = parts.at(-1) ?? ''
        const at = isoTime(clock.now())
        const base = { assetId, uid, name, naturalPath, at }
        const command: ObserveAsset = { type: 'ObserveAsset', ...base, placement, columns, newColumns, facts }
        if (decideAsset(command, state).length === 0) return { id: assetId, outcome: 'unchanged' }
        if (!uidReservations.isHeld(startedAt))
          throw new AssayError('unprocessable', 'Writing this asset took too long. Crawl again.')
        const request = { tenant, id: assetStreamId(uid), command, context }
        const { state: written, events, revision } = await handler.handle(assetAggregate, request)
        // Another instance may have added the asset meanwhile, with another id.
        const id = written.status === 'absent' ? assetId : written.id
        if (events.length === 0) return { id, outcome: 'unchanged', revision }
        const isAdded = events.some(({ type }) => type === 'AssetDiscovered' || type === 'AssetReturned')
        return { id, outcome: isAdded ? 'added' : 'changed', revision }
      } finally {
        release([...claimed], claimed)
      }
    },
  }
}
