import type { PolicyMessage } from '@assay/contracts'
import { type DocumentPut, type Documents, defineCollection, documentPut } from '@assay/documents'
import type { ReadYourWrites } from '@assay/event-store'
import { seenOf } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { z } from 'zod'

const policyUse = z.object({
  policyId: z.int(),
  name: z.string(),
  archived: z.boolean(),
  assetIds: z.array(z.int()),
  udfIds: z.array(z.int()),
})
/** The assets and templates that a policy uses, from its service's latest message. */
export type PolicyUse = z.infer<typeof policyUse>

/** The first four ids of each kind have an indexed field. Policies that use more ids are scanned. */
const indexed = [0, 1, 2, 3] as const
type Kind = 'assetIds' | 'udfIds'
const fieldOf = { assetIds: 'asset', udfIds: 'udf' } as const
const manyOf = { assetIds: 'manyAssets', udfIds: 'manyUdfs' } as const

function indexedField(kind: Kind, at: number) {
  const of = (use: PolicyUse) => (use.archived ? null : (use[kind][at] ?? null))
  return [`${fieldOf[kind]}${at}`, { type: 'integer' as const, of }] as const
}
function many(kind: Kind) {
  const of = (use: PolicyUse) => (!use.archived && use[kind].length > indexed.length ? true : null)
  return [manyOf[kind], { type: 'boolean' as const, of }] as const
}

/** One per policy. */
export const policyUses = defineCollection<PolicyUse>({
  name: 'catalog_policy_uses',
  version: 2,
  idType: 'integer',
  schema: policyUse,
  fields: {
    ...Object.fromEntries([
      ...indexed.map((at) => indexedField('assetIds', at)),
      ...indexed.map((at) => indexedField('udfIds', at)),
      many('assetIds'),
      many('udfIds'),
    ]),
  },
})

function ids(...values: readonly unknown[]): number[] {
  return [...new Set(values.filter((value): value is number => Number.isSafeInteger(value)))]
}

/** The document that a message puts. Pure. */
export function policyUsePut(tenant: string, message: PolicyMessage, position: string): DocumentPut {
  const { revision, policy } = message
  const { id: policyId, name, archived } = policy.rule
  const details: { [key: string]: unknown } = { ...policy.details }
  const items = Array.isArray(details.items) ? details.items : []
  const values = items.flatMap((item: unknown): { [key: string]: unknown }[] => {
    const value = item !== null && typeof item === 'object' && 'value' in item ? item.value : undefined
    return value !== null && typeof value === 'object' ? [{ ...value }] : []
  })
  const { backingAssetId, leftBackingAssetId, rightBackingAssetId } = details
  const assetIds = ids(
    backingAssetId,
    leftBackingAssetId,
    rightBackingAssetId,
    ...values.map(({ lookupAssetId }) => lookupAssetId),
  )
  const udfIds = ids(...values.map(({ udfId }) => udfId))
  const use: PolicyUse = { policyId, name, archived, assetIds, udfIds }
  return documentPut(policyUses, tenant, policyId, use, { revision, position })
}

/**
 * The local copy of a policy, even of an archived one, once it includes what the caller has seen, or after a short
 * wait. Throws `not-found`.
 */
export async function namedPolicy(
  documents: Documents,
  readYourWrites: ReadYourWrites,
  call: Parameters<typeof seenOf>[0],
  id: number,
): Promise<PolicyUse> {
  await readYourWrites(seenOf(call, 'policy'))
  const found = await documents.get(policyUses, call.identity.tenant, id)
  if (found === undefined) throw new AssayError('not-found', `There is no policy with the id ${id}.`)
  return found.document
}

/** Policies that are not archived and use an asset or a template, by id; at most 1,000 per field. */
export async function usesOf(documents: Documents, tenant: string, kind: Kind, id: number): Promise<PolicyUse[]> {
  const found = new Map<number, PolicyUse>()
  const look = async (field: string, is: number | boolean) => {
    const page = await documents.find(policyUses, tenant, { where: [{ field, is }], size: 1000 })
    for (const use of page.documents) if (use[kind].includes(id)) found.set(use.policyId, use)
  }
  for (const at of indexed) await look(`${fieldOf[kind]}${at}`, id)
  await look(manyOf[kind], true)
  return [...found.values()].sort((a, b) => a.policyId - b.policyId)
}

/** `usesOf`, as records of assets and templates show them. */
export async function policiesThatUse(
  ...of: Parameters<typeof usesOf>
): Promise<{ ruleId: number; ruleName: string }[]> {
  return (await usesOf(...of)).map(({ policyId, name }) => ({ ruleId: policyId, ruleName: name }))
}
