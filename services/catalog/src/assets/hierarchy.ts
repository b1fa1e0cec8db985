import type { Condition, Documents } from '@assay/documents'
import { type AssetDocument, assets } from '../asset/collections.ts'
import { descendantPrefix } from '../asset/hierarchy-path.ts'

/** Everything below the asset with this id or UID, at any depth; nothing if there is no such asset. */
export async function below(documents: Documents, tenant: string, ancestor: string): Promise<Condition> {
  const byId =
    /^[1-9][0-9]{0,15}$/.test(ancestor) && Number.isSafeInteger(Number(ancestor)) ? Number(ancestor) : undefined
  const found = byId === undefined ? undefined : (await documents.get(assets, tenant, byId))?.document
  const named =
    found ?? (await documents.find(assets, tenant, { where: [{ field: 'uid', is: ancestor }], size: 1 })).documents[0]
  return named === undefined
    ? { field: 'id', in: [] }
    : { field: 'hierarchyPath', prefix: descendantPrefix(named.hierarchyPath) }
}

/** An ancestor with the ancestors directly inside it. */
export type NestedParent<Shown> = Shown & { children: NestedParent<Shown>[] }

/** Nests ancestors into a forest, in the order of the list. `shown`: their records, in the same order. */
export function nestedParents<Shown>(
  ancestors: readonly Pick<AssetDocument, 'id' | 'parentId'>[],
  shown: readonly Shown[],
): NestedParent<Shown>[] {
  const records = new Map<number, NestedParent<Shown>>()
  for (const [at, { id }] of ancestors.entries()) {
    const record = shown[at]
    if (record !== undefined) records.set(id, { ...record, children: [] })
  }
  const outermost: NestedParent<Shown>[] = []
  for (const { id, parentId } of ancestors) {
    const record = records.get(id)
    const parent = parentId === null ? undefined : records.get(parentId)
    if (record !== undefined) (parent?.children ?? outermost).push(record)
  }
  return outermost
}
