import type { PolicyType } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import type { ReadYourWrites } from '@assay/event-store'
import { AssayError } from '@assay/service-kit/errors'
import { executionPolicies, type PolicyCopy } from './policies.ts'

/** The tenant, and the positions that the caller has seen in the policy service's log. */
export interface PolicyRequest {
  tenant: string
  seen: readonly string[] | undefined
  signal: AbortSignal
}

/** Local read models of policies. Every read waits for the positions that the caller has seen. */
export interface Policies {
  /** Throws `not-found`; `unavailable` if the local read model has not reached these positions. */
  byId(id: number, request: PolicyRequest): Promise<PolicyCopy>
  /** Prefers a policy that is not archived to archived ones with the same name. Throws `not-found`. */
  byName(name: string, request: PolicyRequest): Promise<PolicyCopy>
  /** Waits until lists have reached the positions that the caller has seen. */
  waitForPosition(request: PolicyRequest): Promise<void>
}

export function createPolicies(deps: { documents: Documents; readYourWrites: ReadYourWrites }): Policies {
  const { documents, readYourWrites } = deps

  async function named(tenant: string, name: string): Promise<PolicyCopy | undefined> {
    const found = await documents.find(executionPolicies, tenant, {
      where: [{ field: 'name', is: name }],
      sort: [
        { field: 'archived', direction: 'asc' },
        { field: 'id', direction: 'desc' },
      ],
      size: 1,
    })
    return found.documents[0]
  }

  return {
    waitForPosition: ({ tenant, seen, signal }) => readYourWrites.waitForPosition({ tenant, seen, signal }),
    byId: async (id, { tenant, seen, signal }) => {
      const readPosition = async () => (await documents.get(executionPolicies, tenant, id))?.document.position
      await readYourWrites.waitForPosition({ tenant, seen, readPosition, signal })
      const stored = await documents.get(executionPolicies, tenant, id)
      if (stored) return stored.document
      await readYourWrites.assertReached({ tenant, seen, readPosition, signal })
      throw new AssayError('not-found', `There is no policy with the id ${id}.`)
    },
    byName: async (name, { tenant, seen, signal }) => {
      const readPosition = async () => (await named(tenant, name))?.position
      await readYourWrites.waitForPosition({ tenant, seen, readPosition, signal })
      const copy = await named(tenant, name)
      if (copy) return copy
      await readYourWrites.assertReached({ tenant, seen, readPosition, signal })
      throw new AssayError('not-found', 'There is no policy with this name.')
    },
  }
}

/** The routes of one type find only policies of that type. Throws `not-found`. */
export function assertType({ policy }: PolicyCopy, type: PolicyType): void {
  if (policy.rule.type !== type) {
    throw new AssayError('not-found', `Policy "${policy.rule.name}" is of the type ${policy.rule.type}, not ${type}.`)
  }
}
