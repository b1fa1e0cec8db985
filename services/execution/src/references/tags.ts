import { createTagReader, protectedAssets, type ShownTable, type TagReader } from '@assay/catalog-copies'
import { executionTables } from '../copies/tables.ts'
import { type Copies, executionTagCopies } from './copies.ts'

/** The tags that this service knows of. */
export function tagsOfTenant(documents: Copies, tenant: string): TagReader {
  return createTagReader(documents, tenant, executionTagCopies)
}

/** The table and those of its columns whose values are protected now. */
export function protectedNow(documents: Copies, tenant: string, table: ShownTable): Promise<ReadonlySet<number>> {
  const tableOf = async (id: number) => (await documents.get(executionTables, tenant, id))?.document.table
  return protectedAssets(documents, tenant, { ...executionTagCopies, tableOf }, table)
}

/** Whether there is a tag of the tenant that protects what carries it. */
export async function isAnyProtected(documents: Pick<Copies, 'find'>, tenant: string): Promise<boolean> {
  const where = [{ field: 'protected', is: true }]
  return (await documents.find(executionTagCopies.tags, tenant, { where, size: 0 })).count > 0
}
