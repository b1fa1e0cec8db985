import type { PolicyType } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import type { ReadYourWrites } from '@assay/event-store'
import { AssayError } from '@assay/service-kit/errors'
import { executionPolicies, type PolicyCopy } from './policies.ts'

/** Whose policy, and what its caller has already seen of the policy service's log. */
export interface PolicyRequest {
  tenant: string
  seen: readonly string[] | undefined
  signal: AbortSignal
}

/** Policies as this service knows them, after it has followed to what the caller has seen. */
export interface Policies {
  /** Errors: `not-found`; `unavailable` where the caller has seen more than this service. */
  byId(id: number, request: PolicyRequest): Promise<PolicyCopy>
  /** A policy in use before archived ones of that name. Error: `not-found`. */
  byName(name: string, request: PolicyRequest): Promise<PolicyCopy>
  /** Waits until lists hold what the caller has seen. */
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
    waitForPosition: ({ tenant, seen, signal }) =>
      readYourWrites.waitForPosition({ tenant, seen, look: async () => undefined, signal }),
    byId: async (id, { tenant, seen, signal }) => {
      const look = async () => (await documents.get(executionPolicies, tenant, id))?.document.position
      await readYourWrites.waitForPosition({ tenant, seen, look, signal })
      const stored = await documents.get(executionPolicies, tenant, id)
      if (stored) return stored.document
      await readYourWrites.assertReached({ tenant, seen, look, signal })
      throw new AssayError('not-found', `There is no policy with the id ${id}.`)
    },
    byName: async (name, { tenant, seen, signal }) => {
      const look = async () => (await named(tenant, name))?.position
      await readYourWrites.waitForPosition({ tenant, seen, look, signal })
      const copy = await named(tenant, name)
      if (copy) return copy
      await readYourWrites.assertReached({ tenant, seen, look, signal })
      throw new AssayError('not-found', 'There is no policy with this name.')
    },
  }
}

/** The routes of one kind know only its policies. Error: `not-found`. */
export function assertType({ policy }: PolicyCopy, type: PolicyType): void {
  if (policy.rule.type !== type) {
    throw new AssayError('not-found', `Policy "${policy.rule.name}" is of the type ${policy.rule.type}, not ${type}.`)
  }
}
