import type { PersistenceConfigRecord } from '@assay/contracts'
import type { PersistenceDocument } from './aggregate.ts'

/** The wire form: times as epoch milliseconds. */
export function configRecord(
  document: PersistenceDocument,
  tenantId: string,
  policyCount: number,
): PersistenceConfigRecord {
  const { id, name, categoriesConfig, description, isDefault, createdBy, updatedBy } = document
  const createdAt = Date.parse(document.createdAt)
  const updatedAt = Date.parse(document.updatedAt)
  const times = { createdAt, updatedAt, createdBy, lastUpdatedBy: updatedBy }
  return { id, tenantId, name, categoriesConfig, description: description ?? '', isDefault, ...times, policyCount }
}
