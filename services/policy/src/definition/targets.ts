import type { BackingAssetInput, PolicyChange, PolicyType, TableMessage } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import { suggestTable } from '../copies/suggestions.ts'
import { policyTables } from '../copies/tables.ts'
import { changeOf, familyOf } from '../families/table.ts'
import type { Target } from '../policy/definition.ts'
import { refusal } from './refusal.ts'

/** One side of a policy as a request names it; `at` and `detailsAt` are the fields' paths. */
export interface NamedSide {
  at: string
  asset: BackingAssetInput | undefined
  detailsAt: string
  detailsId: number | undefined
}

/** The sides of a policy as a request names them: one, or the left and the right one. */
export interface NamedSides {
  main: NamedSide
  right?: NamedSide
}

/** The tables of a policy, usually one. `undefined` means unknown, or nothing to check against. */
export interface Sides {
  main: TableMessage | undefined
  right: TableMessage | undefined
}

/** The table that a request names; `undefined` if it names none. Throws `invalid` if its names disagree. */
export function namedTable({
  at,
  asset,
  detailsAt,
  detailsId,
}: NamedSide): { path: string; id: number } | { path: string; uid: string } | undefined {
  const { tableAssetId, tableAssetUid } = asset ?? {}
  if (tableAssetId !== undefined && detailsId !== undefined && tableAssetId !== detailsId)
    throw refusal(detailsAt, `names another asset than ${at}.tableAssetId`)
  if (tableAssetId !== undefined) return { path: `${at}.tableAssetId`, id: tableAssetId }
  if (tableAssetUid !== undefined) return { path: `${at}.tableAssetUid`, uid: tableAssetUid }
  if (detailsId !== undefined) return { path: detailsAt, id: detailsId }
  return undefined
}

/** The sides that a request about a policy of a type names. */
export const sidesNamed = <Type extends PolicyType>(type: Type, sent: PolicyChange): NamedSides =>
  familyOf(type).sidesNamed(changeOf(type, sent))

/** The local read model of the catalog's tables. */
export interface Tables {
  byId(tenant: string, id: number): Promise<TableMessage | undefined>
  /** The existing table that a request names. Throws `invalid`. */
  named(tenant: string, side: NamedSide): Promise<TableMessage | undefined>
}

export function createTables(documents: Documents): Tables {
  const byId = async (tenant: string, id: number) => (await documents.get(policyTables, tenant, id))?.document.table

  async function byUid(tenant: string, uid: string): Promise<TableMessage | undefined> {
    const found = await documents.find(policyTables, tenant, { where: [{ field: 'uid', is: uid }], size: 1 })
    return found.documents[0]?.table
  }

  return {
    byId,
    async named(tenant, side) {
      const name = namedTable(side)
      if (name === undefined) return undefined
      const table = 'id' in name ? await byId(tenant, name.id) : await byUid(tenant, name.uid)
      const uid = side.asset?.tableAssetUid
      if (table !== undefined && uid !== undefined && uid !== table.uid)
        throw refusal(`${side.at}.tableAssetUid`, `'${uid}' is not the UID of the asset with the id ${table.assetId}`)
      if (table !== undefined && !table.isDeleted) return table
      const named = 'id' in name ? `the id ${name.id}` : `the UID '${name.uid}'`
      const known = await isColumn(documents, tenant, name)
      const suggestion =
        'id' in name || table !== undefined || known ? '' : await suggestTable(documents, tenant, name.uid)
      throw refusal(
        name.path,
        table !== undefined
          ? `the asset with ${named} is deleted. Name one that its source still has.`
          : known
            ? `the asset with ${named} is a column. Name its table, view or file, and the column in items[].columnName.`
            : suggestion !== ''
              ? `there is no table, view or file with ${named}${suggestion}`
              : `there is no table, view or file with ${named}. Folders, schemas and columns cannot be the target of a policy.`,
      )
    },
  }
}

/** Whether a UID belongs to a column, for the error message: it begins with the UID of the column's table. */
async function isColumn(
  documents: Documents,
  tenant: string,
  name: { id: number } | { uid: string },
): Promise<boolean> {
  if (!('uid' in name)) return false
  const dot = name.uid.lastIndexOf('.')
  if (dot <= 0) return false
  const where = [{ field: 'uid', is: name.uid.slice(0, dot) }]
  const [copy] = (await documents.find(policyTables, tenant, { where, size: 1 })).documents
  return copy?.table.columns.some((column) => column.name === name.uid.slice(dot + 1)) ?? false
}

/** The part of a definition that describes its target. */
export function targetOf(table: TableMessage, marker: Target['marker']): Target {
  return { assetId: table.assetId, uid: table.uid, marker }
}
