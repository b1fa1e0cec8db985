import { AssayError } from '@assay/service-kit/errors'
import type { Definition } from '../policy/definition.ts'
import { targetsOf } from './sides.ts'
import type { Tables } from './targets.ts'

/**
 * Throws `unprocessable` if a policy cannot be enabled: its assembly or view was deleted, or it compares a table that its
 * source has no longer.
 */
export async function assertTablesLive(tables: Tables, tenant: string, definition: Definition): Promise<void> {
  const targets = targetsOf(definition)
  for (const { assetId } of targets) {
    const table = await tables.byId(tenant, assetId)
    if (table === undefined) continue
    if (targets.length > 1 && table.isDeleted && table.deletedWith === undefined) {
      const sentence = `${table.uid} is no longer in its source, so a policy that compares it cannot be enabled. Crawl its assembly again.`
      throw new AssayError('unprocessable', sentence)
    }
    if (table.deletedWith === undefined) continue
    const deleted = table.deletedWith === 'view' ? `The view ${table.uid}` : `The assembly of asset ${table.uid}`
    throw new AssayError('unprocessable', `${deleted} was deleted; a policy on it cannot be enabled.`)
  }
}
