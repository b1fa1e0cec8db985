import type { Source } from '@assay/data-engine'
import type { Placement } from '../asset/asset.ts'
import { columnKey } from '../asset/column-diff.ts'
import { type AssetTypeName, assetTypeNamed } from '../types/asset-types.ts'
import type { Observer } from './observer.ts'

/** Ids of the folders, databases and schemas of one crawl; one entry for each stays in memory until the crawl ends. */
export interface Containers {
  /** The id of the container at `parts`, `null` for the assembly itself. Makes it, and those above it, when they are not known. */
  idOf(parts: readonly string[], assetType?: AssetTypeName): Promise<number | null>
}

/** What a container is when the source did not say so. */
function typeAt(sourceType: Source['sourceType'], depth: number): AssetTypeName {
  if (sourceType === 'FILE') return 'DIRECTORY'
  return depth === 1 ? 'DATABASE' : 'SCHEMA'
}

export function createContainers(options: {
  observer: Observer
  sourceType: Source['sourceType']
  placement: Omit<Placement, 'parentId' | 'assetTypeId'>
  onSeen: (id: number) => void
}): Containers {
  const { observer, sourceType, placement, onSeen } = options
  const ids = new Map<string, Promise<number>>()

  async function make(parts: readonly string[], assetType: AssetTypeName): Promise<number> {
    const parentId = await idOf(parts.slice(0, -1))
    const { id } = await observer.observe({
      kind: 'container',
      parts: [...parts],
      placement: { ...placement, parentId, assetTypeId: assetTypeNamed(assetType).id },
      columns: [],
      facts: null,
    })
    onSeen(id)
    return id
  }

  async function idOf(parts: readonly string[], assetType?: AssetTypeName): Promise<number | null> {
    if (parts.length === 0) return null
    const key = columnKey(parts)
    const known = ids.get(key)
    if (known !== undefined) return known
    const made = make(parts, assetType ?? typeAt(sourceType, parts.length))
    ids.set(key, made)
    return made
  }

  return { idOf }
}
