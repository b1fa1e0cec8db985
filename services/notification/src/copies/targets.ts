import { defineTagCollections, tagPut } from '@assay/catalog-copies'
import type { AssemblyMessage, PolicyMessage, TagMessage } from '@assay/contracts'
import { type DocumentPut, defineCollection, documentPut } from '@assay/documents'
import { z } from 'zod'

const policyCopy = z.object({
  policyId: z.int(),
  name: z.string(),
  /** Its table; of two, the left one. */
  assetId: z.int().nullable(),
  /** The right table of two. */
  rightAssetId: z.int().nullable(),
  /** Names. */
  tags: z.array(z.string()),
  notificationChannels: z.record(z.string(), z.unknown()).nullable(),
  /** The scores from which a run is successful, and from which it only warns. Null if its items decide, or the past. */
  passes: z.object({ success: z.number(), warning: z.number().nullable() }).nullable(),
})
const assemblyCopy = z.object({
  assemblyId: z.int(),
  name: z.string().nullable(),
  sourceTypeId: z.int().nullable(),
  isDeleted: z.boolean(),
})

/** The policies that can be watched. */
export const notificationPolicies = defineCollection<z.infer<typeof policyCopy>>({
  name: 'notification_policies',
  version: 6,
  idType: 'integer',
  schema: policyCopy,
  fields: {},
})

/** The assemblies that can be watched. */
export const notificationAssemblies = defineCollection<z.infer<typeof assemblyCopy>>({
  name: 'notification_assemblies',
  version: 4,
  idType: 'integer',
  schema: assemblyCopy,
  fields: {},
})

/** Tags, and the assets that have them. */
export const notificationTags = defineTagCollections('notification')

const risingThreshold = z.object({
  type: z.literal('ABSOLUTE'),
  config: z.object({ direction: z.literal('ABOVE') }),
  success: z.number(),
  warning: z.number().nullable(),
})

/** The limits of a policy's score; null if it has none that are the same for each run. Pure. */
export function passesOf({
  verdictBy,
  thresholdLevel,
}: Pick<PolicyMessage['policy']['rule'], 'verdictBy' | 'thresholdLevel'>): z.infer<typeof policyCopy>['passes'] {
  const { data } = risingThreshold.safeParse(thresholdLevel)
  return verdictBy === 'SCORE' && data !== undefined ? { success: data.success, warning: data.warning } : null
}

/** The put for a message of a policy. Pure. */
export function policyCopyPut(tenant: string, { revision, policy }: PolicyMessage, position: string): DocumentPut {
  const { rule } = policy
  const target = 'backingAsset' in rule ? rule.backingAsset : rule.leftBackingAsset
  const rightAssetId = 'backingAsset' in rule ? null : rule.rightBackingAsset.tableAssetId
  const { id: policyId, name, notificationChannels } = rule
  const tags = rule.tags.map(({ name }) => name)
  const passes = passesOf(rule)
  const copy = { policyId, name, assetId: target.tableAssetId, rightAssetId, tags, notificationChannels, passes }
  return documentPut(notificationPolicies, tenant, policyId, copy, { revision, position })
}

/** The put for a message of an assembly. Pure. */
export function assemblyCopyPut(
  tenant: string,
  { revision, assemblyId, name, sourceTypeId, isDeleted }: AssemblyMessage,
  position: string,
): DocumentPut {
  const copy = { assemblyId, name: name ?? null, sourceTypeId: sourceTypeId ?? null, isDeleted }
  return documentPut(notificationAssemblies, tenant, assemblyId, copy, { revision, position })
}

/** The put for a message of a tag or an association. Pure. */
export function tagCopyPut(tenant: string, message: TagMessage, position: string): DocumentPut {
  return tagPut(notificationTags, tenant, message, position)
}
