import type { Source } from '@assay/data-engine'
import type { Placement } from '../asset/asset.ts'
import { columnKey } from '../asset/column-diff.ts'
import { type AssetTypeName, assetTypeNamed } from '../types/asset-types.ts'
import type { Observer } from './observer.ts'

/** Ids of the folders, databases and schemas of one crawl; kept in memory until it ends. */
export interface Containers {
  /** The id of the container at `parts`, `null` for the assembly itself. Creates it and its ancestors if needed. */
  idOf(parts: readonly string[], assetType?: AssetTypeName): Promise<number | null>
}

/** The type of a container if the source does not say it. */
function typeAt(sourceType: Source['sourceType'], depth: number): AssetTypeName {
  if (sourceType === 'FILE' || sourceType === 'AWS_S3') return 'DIRECTORY'
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
