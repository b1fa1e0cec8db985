import type { Permission } from '@assay/contracts'
import type { NewKey } from '../keys/key-commands.ts'

const validYears = 10

/** The key of a tenant's first administrator, valid for ten years from `now` (epoch milliseconds). */
export function administratorKey(
  tenant: string,
  pair: { accessKey: string; secretKey: string },
  permissions: readonly Permission[],
  now: number,
): NewKey {
  const until = new Date(now)
  until.setUTCFullYear(until.getUTCFullYear() + validYears)
  return { ...pair, tenant, displayName: 'Administrator', user: 'admin', permissions, validTill: until.getTime() }
}
