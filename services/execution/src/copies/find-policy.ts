import type { PolicyType } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import { parseState, type ReadYourWrites } from '@assay/event-store'
import { seenOf } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { executionPolicies, type PolicyCopy } from './policies.ts'

/** Local read models of policies. Every read waits for what the caller has seen. */
export interface Policies {
  /** Throws `not-found`; `unavailable` if the local read model lacks a state of the policy that the caller has seen. */
  byId(id: number, call: Reader): Promise<PolicyCopy>
  /** Prefers a policy that is not archived to archived ones with the same name. Throws like `byId`. */
  byName(name: string, call: Reader): Promise<PolicyCopy>
}
type Reader = Parameters<typeof seenOf>[0]

export function createPolicies(deps: {
  documents: Pick<Documents, 'get' | 'find'>
  readYourWrites: ReadYourWrites
}): Policies {
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

  function missing(isLate: boolean, message: string): AssayError {
    if (!isLate) return new AssayError('not-found', message)
    const late = 'A recent write has not reached this service yet. Try again in a moment.'
    return new AssayError('unavailable', late, { retryAfterSeconds: 1 })
  }

  return {
    byId: async (id, call) => {
      const late = await readYourWrites(seenOf(call, 'policy'))
      const stored = await documents.get(executionPolicies, call.identity.tenant, id)
      if (stored) return stored.document
      const isLate = late.some((state) => parseState(state)?.id === String(id))
      throw missing(isLate, `There is no policy with the id ${id}.`)
    },
    byName: async (name, call) => {
      const late = await readYourWrites(seenOf(call, 'policy'))
      const copy = await named(call.identity.tenant, name)
      if (copy) return copy
      throw missing(late.length > 0, 'There is no policy with this name.')
    },
  }
}

/** The routes of one type find only policies of that type. Throws `not-found`. */
export function assertType({ policy }: PolicyCopy, type: PolicyType): void {
  if (policy.rule.type !== type) {
    throw new AssayError('not-found', `Policy "${policy.rule.name}" is of the type ${policy.rule.type}, not ${type}.`)
  }
}
