import { createTagReader, protectedAssets, type ShownTable, type TagReader } from '@assay/catalog-copies'
import { executionTables } from '../copies/tables.ts'
import { type Copies, executionTagCopies } from './copies.ts'

/** Reads the replicas of tags. */
export function tagsOfTenant(documents: Copies, tenant: string): TagReader {
  return createTagReader(documents, tenant, executionTagCopies)
}

/** The protected ones of a table and its columns. */
export function protectedNow(documents: Copies, tenant: string, table: ShownTable): Promise<ReadonlySet<number>> {
  const tableOf = async (id: number) => (await documents.get(executionTables, tenant, id))?.document.table
  return protectedAssets(documents, tenant, { ...executionTagCopies, tableOf }, table)
}

/** Whether the tenant has a tag that protects values. */
export async function isAnyProtected(documents: Pick<Copies, 'find'>, tenant: string): Promise<boolean> {
  const where = [{ field: 'protected', is: true }]
  return (await documents.find(executionTagCopies.tags, tenant, { where, size: 0 })).count > 0
}
