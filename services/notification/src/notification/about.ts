import type { Permission } from '@assay/contracts'
import { z } from 'zod'

/** The subject of a row. Reading the row requires the permission for this subject. */
export const about = z.enum(['policy', 'asset', 'neither'])
export type About = z.infer<typeof about>

export function aboutOf({ assetId, policyId }: { assetId: number | null; policyId: number | null }): About {
  if (policyId !== null) return 'policy'
  return assetId === null ? 'neither' : 'asset'
}

/** The rows that a key with these permissions may read. Pure. */
export const readable = (permissions: ReadonlySet<Permission>): About[] => [
  ...(permissions.has('POLICY_VIEW') ? (['policy'] as const) : []),
  ...(permissions.has('ASSET_VIEW') ? (['asset'] as const) : []),
  'neither',
]
