import { tableWithColumn } from '@assay/catalog-copies'
import { type TableMessage, unnumbered } from '@assay/contracts'
import type { Condition, Documents } from '@assay/documents'
import { columnTarget } from '../policy-runs/followed-policy.ts'
import { tablesBelow } from './containers.ts'
import { columnIds, executionTables } from './tables.ts'

const candidatesAtOnce = 50
/** Maximum number of dots in a UID that are tried as the beginning of a column's name. */
const maxDots = 50

/** Assets as targets of policies: tables, views, files and their columns. */
export interface AssetTargets {
  /** `undefined` if there is no such asset. */
  byId(tenant: string, assetId: number): Promise<string | undefined>
  byUid(tenant: string, uid: string): Promise<string | undefined>
  /** The target of an asset. For a folder, a database or a schema: the targets of all tables below it. */
  targetsOf(tenant: string, named: { id: number } | { uid: string }): Promise<readonly string[] | undefined>
}

export function createAssetTargets(documents: Documents): AssetTargets {
  /** The first result of `pick` for the matching tables. */
  async function first(
    tenant: string,
    where: readonly Condition[],
    pick: (table: TableMessage) => string | undefined,
  ): Promise<string | undefined> {
    for (let page = 0; ; page += 1) {
      const found = await documents.find(executionTables, tenant, { where, page, size: candidatesAtOnce })
      for (const { table } of found.documents) {
        const picked = pick(table)
        if (picked !== undefined) return picked
      }
      if (found.documents.length < candidatesAtOnce) return undefined
    }
  }

  const columnOf = ({ assetId, columns }: TableMessage, isIt: (column: { id: number; uid: string }) => boolean) => {
    const column = columns.find(isIt)
    return column && columnTarget(assetId, column.name)
  }

  async function byId(tenant: string, assetId: number): Promise<string | undefined> {
    if (await documents.get(executionTables, tenant, assetId)) return String(assetId)
    const found = await tableWithColumn(documents, executionTables, tenant, assetId, columnIds)
    return found && columnOf(found.table, ({ id }) => id === assetId)
  }

  async function byUid(tenant: string, uid: string): Promise<string | undefined> {
    const dots = [...uid.matchAll(/\./g)].map(({ index }) => index).slice(-maxDots)
    // A column's UID begins with that of its table, with or without the table's number.
    const tableUids = [uid, ...dots.map((dot) => uid.slice(0, dot))]
    const where = [{ field: 'unnumbered', in: [...new Set([...tableUids, ...tableUids.map(unnumbered)])] }]
    return first(tenant, where, (table) =>
      table.uid === uid ? String(table.assetId) : columnOf(table, (column) => column.uid === uid),
    )
  }

  return {
    byId,
    byUid,
    async targetsOf(tenant, named) {
      const below = await tablesBelow(documents, tenant, named)
      if (below !== undefined) return below.map(String)
      const target = await ('id' in named ? byId(tenant, named.id) : byUid(tenant, named.uid))
      return target === undefined ? undefined : [target]
    },
  }
}
