import type { Documents } from '@assay/documents'
import type { ReadYourWrites } from '@assay/event-store'
import { type Caller, seenOf } from '@assay/service-kit'
import { AssayError, isAssayError } from '@assay/service-kit/errors'
import { notificationAssemblies, notificationPolicies, notificationTags } from '../copies/targets.ts'
import type { AssetOf } from './routes.ts'

/** What requests name by id. All throw `not-found` if there is no such thing, after a wait for the caller's own writes. */
export interface KnownThings {
  asset(call: Caller, assetId: number): Promise<void>
  /** Throws `forbidden` without POLICY_VIEW, whether or not there is such a policy. */
  policy(call: Caller, policyId: number): Promise<void>
  assembly(call: Caller, assemblyId: number): Promise<void>
  tag(call: Caller, tagId: number): Promise<void>
}

export function createKnownThings(deps: {
  documents: Documents
  assetOf: AssetOf
  readYourWrites: ReadYourWrites
}): KnownThings {
  const { documents, assetOf, readYourWrites } = deps

  async function check(
    call: Caller,
    what: string,
    of: { owner: 'catalog' | 'policy'; exists: () => Promise<boolean> },
  ): Promise<void> {
    if (await of.exists()) return
    await readYourWrites(seenOf(call, of.owner))
    if (!(await of.exists())) throw new AssayError('not-found', `There is no ${what}.`)
  }

  return {
    async asset(call, assetId) {
      try {
        await assetOf(call, { id: assetId })
      } catch (error) {
        if (isAssayError(error, 'forbidden')) throw new AssayError('not-found', `There is no asset ${assetId}.`)
        throw error
      }
    },
    async policy(call, policyId) {
      const { tenant, permissions } = call.identity
      if (!permissions.has('POLICY_VIEW'))
        throw new AssayError('forbidden', 'This key lacks the permission POLICY_VIEW, which policyId needs.')
      const exists = async () => (await documents.get(notificationPolicies, tenant, policyId)) !== undefined
      return check(call, `policy ${policyId}`, { owner: 'policy', exists })
    },
    assembly(call, assemblyId) {
      const { tenant } = call.identity
      const exists = async () =>
        (await documents.get(notificationAssemblies, tenant, assemblyId))?.document.isDeleted === false
      return check(call, `assembly ${assemblyId}`, { owner: 'catalog', exists })
    },
    tag(call, tagId) {
      const { tenant } = call.identity
      const exists = async () => (await documents.get(notificationTags.tags, tenant, tagId)) !== undefined
      return check(call, `tag ${tagId}`, { owner: 'catalog', exists })
    },
  }
}
