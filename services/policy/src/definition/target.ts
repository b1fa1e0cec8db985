import type { RuleInput, TableMessage } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import { policyTables } from '../copies/tables.ts'
import type { Target } from '../policy/definition.ts'
import { refusal } from './refusal.ts'

/** Which table a request names; `undefined` when it names none. Error: `invalid` when its names disagree. */
export function namedTable(rule: RuleInput): { path: string; id: number } | { path: string; uid: string } | undefined {
  const { tableAssetId, tableAssetUid } = rule.backingAsset ?? {}
  const detailsId = rule.details?.backingAssetId
  if (tableAssetId !== undefined && detailsId !== undefined && tableAssetId !== detailsId)
    throw refusal('rule.details.backingAssetId', 'names another asset than rule.backingAsset.tableAssetId')
  if (tableAssetId !== undefined) return { path: 'rule.backingAsset.tableAssetId', id: tableAssetId }
  if (tableAssetUid !== undefined) return { path: 'rule.backingAsset.tableAssetUid', uid: tableAssetUid }
  if (detailsId !== undefined) return { path: 'rule.details.backingAssetId', id: detailsId }
  return undefined
}

/** The catalog's tables as this service knows them. */
export interface Tables {
  byId(tenant: string, id: number): Promise<TableMessage | undefined>
  /** The table that a request names, alive. Error: `invalid`. */
  named(tenant: string, rule: RuleInput): Promise<TableMessage | undefined>
}

export function createTables(documents: Documents): Tables {
  const byId = async (tenant: string, id: number) => (await documents.get(policyTables, tenant, id))?.document.table

  async function byUid(tenant: string, uid: string): Promise<TableMessage | undefined> {
    const found = await documents.find(policyTables, tenant, { where: [{ field: 'uid', is: uid }], size: 1 })
    return found.documents[0]?.table
  }

  return {
    byId,
    async named(tenant, rule) {
      const name = namedTable(rule)
      if (name === undefined) return undefined
      const table = 'id' in name ? await byId(tenant, name.id) : await byUid(tenant, name.uid)
      const uid = rule.backingAsset?.tableAssetUid
      if (table !== undefined && uid !== undefined && uid !== table.uid)
        throw refusal(
          'rule.backingAsset.tableAssetUid',
          `'${uid}' is not the UID of the asset with the id ${table.assetId}`,
        )
      if (table !== undefined && !table.isDeleted) return table
      const named = 'id' in name ? `the id ${name.id}` : `the UID '${name.uid}'`
      const known = await isColumn(documents, tenant, name)
      throw refusal(
        name.path,
        table !== undefined
          ? `the asset with ${named} is deleted. Name one that its source still has.`
          : known
            ? `the asset with ${named} is a column. Name its table, view or file, and the column in items[].columnName.`
            : `there is no table, view or file with ${named}. Folders, schemas and columns cannot be the target of a policy.`,
      )
    },
  }
}

/** Only to word a refusal: a column's UID begins with its table's, and its id stands among the table's columns. */
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

/** What a definition keeps of its target. */
export function targetOf(table: TableMessage, marker: Target['marker']): Target {
  return { assetId: table.assetId, uid: table.uid, marker }
}
