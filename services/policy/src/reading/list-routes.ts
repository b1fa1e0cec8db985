import { type PolicyType, policyStatusesOf } from '@assay/contracts'
import { type Condition, type Documents, findPage } from '@assay/documents'
import { type Route, route } from '@assay/service-kit'
import { kinds, type ListQuery } from '../kinds.ts'
import { policies } from '../policy/aggregate.ts'

function conditions(type: PolicyType, { ruleStatus, name }: ListQuery): Condition[] {
  return [
    { field: 'type', is: type },
    { field: 'status', in: policyStatusesOf(ruleStatus) },
    ...(name === undefined || name === '' ? [] : [{ field: 'name', contains: name }]),
  ]
}

/** Newest change first by default; archived ones only on request. */
export function listRoutes(deps: { documents: Documents }): Route[] {
  return kinds.map(({ type, operations }) =>
    route(operations.list, async (call) => {
      const { query } = call
      const { tenant } = call.identity
      const { page, size } = query
      const sort = [query.sortBy ?? { field: 'updatedAt', direction: 'desc' as const }]
      const where = conditions(type, query)
      const { documents, count } = await findPage(deps.documents, call, policies, { tenant, where, sort, page, size })
      return { body: { rules: documents.map(({ answer }) => answer), meta: { count, page, size } } }
    }),
  )
}
