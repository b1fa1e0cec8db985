import type { PolicyType } from '@assay/contracts'
import type { Condition, Documents, Stored } from '@assay/documents'
import { stateText } from '@assay/event-store'
import { AssayError } from '@assay/service-kit/errors'
import type { WrongKind } from '../kinds.ts'
import { type PolicyDocument, policies, policyAggregate } from '../policy/aggregate.ts'

type Found = Stored<PolicyDocument>

/** The state that an answer with a policy shows. */
export function statesOf({ document, source }: Found): string[] {
  return [stateText(policyAggregate.category, document.answer.rule.id, source.revision)]
}

/** Policies of one kind. All reject with `not-found`, or with the error requested for policies of another kind. */
export interface PoliciesOfKind {
  byId(tenant: string, id: number): Promise<Found>
  /** Prefers a policy that is not archived to archived ones with the same name. */
  byName(tenant: string, name: string): Promise<Found>
  /** A positive whole number is an id, anything else a name. */
  byIdentifier(tenant: string, identifier: string): Promise<Found>
  /** The policy with the lowest id that is not archived. */
  byAsset(tenant: string, assetId: number): Promise<Found>
}

/** Current policies of any kind. All reject with `not-found`. */
export interface Policies extends Omit<PoliciesOfKind, 'byAsset'> {
  of(type: PolicyType, wrongKind?: WrongKind): PoliciesOfKind
}

export function createPolicies(documents: Documents): Policies {
  const byId: Policies['byId'] = async (tenant, id) => {
    const stored = await documents.get(policies, tenant, id)
    if (stored === undefined) throw new AssayError('not-found', `There is no policy with the id ${id}.`)
    return stored
  }

  async function named(tenant: string, name: string, kind: Condition[]): Promise<Found | undefined> {
    const found = await documents.find(policies, tenant, {
      where: [{ field: 'name', is: name }, ...kind],
      sort: [
        { field: 'archived', direction: 'asc' },
        { field: 'id', direction: 'desc' },
      ],
      size: 1,
    })
    const [first] = found.documents
    return first === undefined ? undefined : byId(tenant, first.answer.rule.id)
  }

  const byName: Policies['byName'] = async (tenant, name) => {
    const found = await named(tenant, name, [])
    if (found === undefined) throw new AssayError('not-found', 'There is no policy with this name.')
    return found
  }

  function of(type: PolicyType, wrongKind: WrongKind = 'not-found'): PoliciesOfKind {
    const own = (stored: Found): Found => {
      const { rule } = stored.document.answer
      if (rule.type === type) return stored
      throw new AssayError(wrongKind, `Policy "${rule.name}" is of type ${rule.type}, not ${type}.`)
    }
    const ownById = async (tenant: string, id: number) => own(await byId(tenant, id))
    const ownByName = async (tenant: string, name: string) =>
      (await named(tenant, name, [{ field: 'type', is: type }])) ?? own(await byName(tenant, name))
    return {
      byId: ownById,
      byName: ownByName,
      byIdentifier: (tenant, identifier) => resolve(identifier, tenant, ownById, ownByName),
      async byAsset(tenant, assetId) {
        const where: Condition[] = [
          { field: 'assetId', is: assetId },
          { field: 'type', is: type },
          { field: 'archived', is: false },
        ]
        const [first] = (await documents.find(policies, tenant, { where, size: 1 })).documents
        if (first !== undefined) return byId(tenant, first.answer.rule.id)
        throw new AssayError('not-found', `There is no policy of type ${type} on the asset with the id ${assetId}.`)
      },
    }
  }

  return {
    byId,
    byName,
    byIdentifier: (tenant, identifier) => resolve(identifier, tenant, byId, byName),
    of,
  }
}

function resolve(
  identifier: string,
  tenant: string,
  byId: (tenant: string, id: number) => Promise<Found>,
  byName: (tenant: string, name: string) => Promise<Found>,
): Promise<Found> {
  return /^[1-9]\d{0,14}$/.test(identifier) ? byId(tenant, Number(identifier)) : byName(tenant, identifier)
}
