import { didYouMean, spellingsNear } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import { policyTables } from './tables.ts'
import { policyTemplates } from './templates.ts'

const maxShown = 25

/** `; did you mean 'sales.orders.csv'?` for an unknown UID, from the tenant's tables; empty if none is similar. */
export async function suggestTable(documents: Documents, tenant: string, uid: string): Promise<string> {
  const where = [{ field: 'uid', in: spellingsNear(uid) }]
  const found = await documents.find(policyTables, tenant, { where, size: maxShown })
  const alive = found.documents.filter(({ table }) => !table.isDeleted)
  return didYouMean(
    uid,
    alive.map(({ table }) => table.uid),
  )
}

/** Like `suggestTable`, for the name of a UDF template. */
export async function suggestTemplate(documents: Documents, tenant: string, name: string): Promise<string> {
  const where = [{ field: 'name', in: spellingsNear(name) }]
  const found = await documents.find(policyTemplates, tenant, { where, size: maxShown })
  return didYouMean(
    name,
    found.documents.map((template) => template.name),
  )
}
