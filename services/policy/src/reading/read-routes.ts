import { policyOperations, qualityRuleOf } from '@assay/contracts'
import type { Stored } from '@assay/documents'
import type { ReadYourWrites } from '@assay/event-store'
import { type Caller, type Route, route, seenOf } from '@assay/service-kit'
import { kinds, kindsByAsset, type VersionQuery } from '../kinds.ts'
import type { PolicyDocument } from '../policy/aggregate.ts'
import { type Policies, statesOf } from './find-policy.ts'
import type { Versions } from './versions.ts'

/** One policy: its current state, an earlier version, its items. */
export function readRoutes(deps: { policies: Policies; versions: Versions; readYourWrites: ReadYourWrites }): Route[] {
  const { policies, versions, readYourWrites } = deps

  async function wantedVersion(call: Caller, id: number, query: VersionQuery): Promise<number | undefined> {
    if (query.version !== undefined || !query.onlyExecutedVersion) return query.version
    await readYourWrites(seenOf(call, 'execution'))
    return (await versions.executed(call.identity.tenant, id))?.version
  }

  /** A version that never existed is ignored, and the answer says so. */
  async function inVersion(call: Caller, stored: Stored<PolicyDocument>, query: VersionQuery) {
    const { answer } = stored.document
    const { id, version: newest } = answer.rule
    const version = await wantedVersion(call, id, query)
    const isPast = version !== undefined && version < newest
    const past = isPast ? await versions.read(call.identity.tenant, id, version) : undefined
    if (query.version !== undefined && query.version !== newest && past === undefined)
      call.ignore?.('version', `the policy has no version ${query.version}; its newest is ${newest}`)
    return { body: past ?? answer, states: statesOf(stored) }
  }

  const ofKinds = kinds.flatMap(({ type, operations, wrong }) => {
    const own = policies.of(type)
    const itemsOf = (stored: Stored<PolicyDocument>) => ({
      body: { items: stored.document.answer.details.items },
      states: statesOf(stored),
    })
    return [
      route(operations.get, async (call) => {
        const { tenant } = call.identity
        const asked = policies.of(type, wrong.get)
        const { params } = call
        const stored = await asked.byIdentifier(tenant, 'id' in params ? params.id : params.identifier)
        return inVersion(call, stored, call.query)
      }),
      route(operations.getByName, async (call) =>
        inVersion(call, await own.byName(call.identity.tenant, call.params.name), call.query),
      ),
      route(operations.items, async (call) => itemsOf(await own.byId(call.identity.tenant, call.params.id))),
      route(operations.itemsByName, async (call) => itemsOf(await own.byName(call.identity.tenant, call.params.name))),
    ]
  })

  return [
    ...ofKinds,
    ...kindsByAsset.map(({ type, operation }) =>
      route(operation, async (call) => {
        const stored = await policies.of(type).byAsset(call.identity.tenant, call.params.identifier)
        return { body: stored.document.answer, states: statesOf(stored) }
      }),
    ),
    route(policyOperations.getPolicy, async (call) => {
      const stored = await policies.byIdentifier(call.identity.tenant, call.params.identifier)
      return { body: qualityRuleOf(stored.document.answer), states: statesOf(stored) }
    }),
  ]
}
