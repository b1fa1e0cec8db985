import type { Documents } from '@assay/documents'
import type { Position, ReadYourWrites } from '@assay/event-store'
import type { Caller } from '@assay/service-kit'
import { AssayError, isAssayError } from '@assay/service-kit/errors'
import { notificationAssemblies, notificationPolicies, notificationTags } from '../copies/targets.ts'
import type { AssetOf } from './routes.ts'

/** Waits of a request for its own writes, by the kind of what it names. */
export interface Followed {
  policies: ReadYourWrites
  assemblies: ReadYourWrites
  tags: ReadYourWrites
}

/** What requests name by id. All throw `not-found` if there is no such thing, after a wait for the caller's own writes. */
export interface KnownThings {
  asset(call: Caller, assetId: number): Promise<void>
  policy(call: Caller, policyId: number): Promise<void>
  assembly(call: Caller, assemblyId: number): Promise<void>
  tag(call: Caller, tagId: number): Promise<void>
}

export function createKnownThings(deps: { documents: Documents; assetOf: AssetOf; followed: Followed }): KnownThings {
  const { documents, assetOf, followed } = deps

  async function check(
    call: Caller,
    what: string,
    of: { owner: 'catalog' | 'policy'; follows: ReadYourWrites; position: () => Promise<Position | undefined> },
  ): Promise<void> {
    const { owner, follows, position } = of
    if ((await position()) !== undefined) return
    const { tenant } = call.identity
    const seen = call.seen.get(owner)
    await follows.waitForPosition({ tenant, seen, readPosition: position, signal: call.signal })
    if ((await position()) === undefined) throw new AssayError('not-found', `There is no ${what}.`)
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
    policy(call, policyId) {
      const { tenant } = call.identity
      const position = async () => (await documents.get(notificationPolicies, tenant, policyId))?.document.position
      return check(call, `policy ${policyId}`, { owner: 'policy', follows: followed.policies, position })
    },
    assembly(call, assemblyId) {
      const { tenant } = call.identity
      const position = async () => {
        const found = (await documents.get(notificationAssemblies, tenant, assemblyId))?.document
        return found?.isDeleted === false ? found.position : undefined
      }
      return check(call, `assembly ${assemblyId}`, { owner: 'catalog', follows: followed.assemblies, position })
    },
    tag(call, tagId) {
      const { tenant } = call.identity
      const position = async () => (await documents.get(notificationTags.tags, tenant, tagId))?.document.position
      return check(call, `tag ${tagId}`, { owner: 'catalog', follows: followed.tags, position })
    },
  }
}
