import type { Documents, Stored } from '@assay/documents'
import { AssayError } from '@assay/service-kit/errors'
import { type PolicyDocument, policies } from '../policy/aggregate.ts'

/** Policies as they stand. Errors of all: `not-found`. */
export interface Policies {
  byId(tenant: string, id: number): Promise<Stored<PolicyDocument>>
  /** A policy in use before archived ones that had the name. */
  byName(tenant: string, name: string): Promise<Stored<PolicyDocument>>
  idOfName(tenant: string, name: string): Promise<number>
  /** A positive whole number is an id, everything else a name. */
  byIdentifier(tenant: string, identifier: string): Promise<Stored<PolicyDocument>>
}

export function createPolicies(documents: Documents): Policies {
  const byId: Policies['byId'] = async (tenant, id) => {
    const stored = await documents.get(policies, tenant, id)
    if (stored === undefined) throw new AssayError('not-found', `There is no policy with the id ${id}.`)
    return stored
  }

  const idOfName: Policies['idOfName'] = async (tenant, name) => {
    const found = await documents.find(policies, tenant, {
      where: [{ field: 'name', is: name }],
      sort: [
        { field: 'archived', direction: 'asc' },
        { field: 'id', direction: 'desc' },
      ],
      size: 1,
    })
    const [first] = found.documents
    if (first === undefined) throw new AssayError('not-found', 'There is no policy with this name.')
    return first.answer.rule.id
  }

  const byName: Policies['byName'] = async (tenant, name) => byId(tenant, await idOfName(tenant, name))

  return {
    byId,
    byName,
    idOfName,
    byIdentifier: (tenant, identifier) =>
      /^[1-9]\d{0,14}$/.test(identifier) ? byId(tenant, Number(identifier)) : byName(tenant, identifier),
  }
}
