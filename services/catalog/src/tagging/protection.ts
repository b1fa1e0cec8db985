import type { Documents } from '@assay/documents'
import { type AssetTableDocument, assetTables } from '../asset/collections.ts'
import { currentViewState } from '../asset/current-view-state.ts'
import type { Tagging } from './tagging.ts'

const atOnce = 500

/** Which values are hidden from keys without ASSET_PROTECTED_VIEW, by the current tags. */
export interface Protection {
  /**
   * Names of a table's columns with protected values; all columns if the table itself is protected. `readThen`: for
   * earlier values of a view, the tables that it read at that time.
   */
  columnsOf(tenant: string, assetId: number, readThen?: readonly number[]): Promise<string[]>
  /** The tables that a view reads, directly or through other views; none for other assets. */
  sourcesOf(tenant: string, assetId: number): Promise<readonly number[]>
}

/** The sources of a table; `undefined` for a view without published sources. */
function sourcesOfTable({ facts }: AssetTableDocument): readonly number[] | undefined {
  return facts?.sourceIds ?? (facts?.locator.kind === 'query' ? undefined : [])
}

/**
 * A view hides all its columns while any table that it reads has a protected tag, or if its sources are not recorded.
 */
export function createProtection(deps: { documents: Documents; tagging: Pick<Tagging, 'protectedOf'> }): Protection {
  const { documents, tagging } = deps
  const tableOf = async (tenant: string, id: number) => (await documents.get(assetTables, tenant, id))?.document

  /** The ids of a table and its columns, including leaves, that have a protected tag. */
  async function carriers(tenant: string, table: AssetTableDocument): Promise<Set<number>> {
    const ids = [table.id, ...table.columns.filter(({ isDeleted }) => !isDeleted).map(({ id }) => id)]
    const found = new Set<number>()
    for (let from = 0; from < ids.length; from += atOnce)
      for (const id of await tagging.protectedOf(tenant, ids.slice(from, from + atOnce))) found.add(id)
    return found
  }

  /**
   * Whether any table in `readThen`, or any that the view reads directly or through other views, has a protected tag.
   */
  async function hidesAll(tenant: string, view: AssetTableDocument, readThen: readonly number[]): Promise<boolean> {
    const seen = new Set([view.id])
    const open = [...readThen]
    for (let table: AssetTableDocument | undefined = view; ; ) {
      const sources = table === undefined ? [] : sourcesOfTable(table)
      if (sources === undefined) return true
      for (const id of sources) open.push(id)
      let next = open.pop()
      while (next !== undefined && seen.has(next)) next = open.pop()
      if (next === undefined) return false
      seen.add(next)
      table = await tableOf(tenant, next)
      if (table !== undefined && (await carriers(tenant, table)).size > 0) return true
    }
  }

  return {
    async sourcesOf(tenant, assetId) {
      const facts = (await tableOf(tenant, assetId))?.facts
      return (facts && (await currentViewState(documents, tenant, facts)).sourceIds) ?? []
    },
    async columnsOf(tenant, assetId, readThen = []) {
      const table = await tableOf(tenant, assetId)
      if (table === undefined) return []
      const columns = table.columns.filter(({ isDeleted }) => !isDeleted)
      const found = await carriers(tenant, table)
      const all = found.has(assetId) || (await hidesAll(tenant, table, readThen))
      // A protected leaf hides the whole column that contains it.
      const hidden = all ? columns : columns.filter(({ id }) => found.has(id))
      return [...new Set(hidden.map(({ path }) => path[0] ?? ''))]
    },
  }
}
