import { policyOperations } from '@assay/contracts'
import { type Route, route } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import type { Policies } from './find-policy.ts'
import { versionChangesOf } from './version-changes.ts'
import type { Versions } from './versions.ts'

const maxListed = 500

/** The versions of a policy, and the differences between them. */
export function versionRoutes({ policies, versions }: { policies: Policies; versions: Versions }): Route[] {
  return [
    route(policyOperations.listPolicyVersions, async (call) => {
      const { tenant } = call.identity
      await policies.byId(tenant, call.params.id)
      const all = await versions.all(tenant, call.params.id)
      const data = all
        .map((state, index) => {
          const before = all[index - 1]
          const changedPaths = before === undefined ? [] : versionChangesOf(before, state).map(({ path }) => path)
          return { version: state.version, at: state.updatedAt, actor: state.updatedBy, changedPaths }
        })
        .toReversed()
        .slice(0, maxListed)
      const meta = { count: all.length, page: 0, size: maxListed }
      return { body: { data, meta } }
    }),
    route(policyOperations.comparePolicyVersions, async (call) => {
      const { tenant } = call.identity
      const { id, a, b } = call.params
      await policies.byId(tenant, id)
      const all = await versions.all(tenant, id)
      const ofVersion = (version: number) => {
        const found = all.find((state) => state.version === version)
        if (found === undefined) throw new AssayError('not-found', `The policy has no version ${version}.`)
        return found
      }
      const changes = versionChangesOf(ofVersion(a), ofVersion(b))
      return { body: { from: a, to: b, changes } }
    }),
  ]
}
