import { policyOperations, type QueryOf } from '@assay/contracts'
import type { Stored } from '@assay/documents'
import type { Followed } from '@assay/event-store'
import { type Route, route } from '@assay/service-kit'
import type { Caller } from '../calls.ts'
import type { PolicyDocument } from '../policy/aggregate.ts'
import { qualityRule } from '../policy/records.ts'
import type { Policies } from './find-policy.ts'
import type { Versions } from './versions.ts'

type VersionQuery = QueryOf<typeof policyOperations.getDataQualityPolicy>

/** One policy: as it stands, in a version of before, its items. */
export function readRoutes(deps: { policies: Policies; versions: Versions; executed: Followed }): Route[] {
  const { policies, versions, executed } = deps

  async function wantedVersion(call: Caller, id: number, query: VersionQuery): Promise<number | undefined> {
    if (query.version !== undefined || !query.onlyExecutedVersion) return query.version
    await executed.reach(call.identity.tenant, call.seen.get('execution'), call.signal)
    return versions.lastExecuted(call.identity.tenant, id)
  }

  /** A version that there never was is ignored. */
  async function inVersion(call: Caller, stored: Stored<PolicyDocument>, query: VersionQuery) {
    const { answer } = stored.document
    const { id, version: newest } = answer.rule
    const version = await wantedVersion(call, id, query)
    const isPast = version !== undefined && version < newest
    const past = isPast ? await versions.read(call.identity.tenant, id, version) : undefined
    return { body: past ?? answer, position: stored.source.position }
  }

  return [
    route(policyOperations.getDataQualityPolicy, async (call) =>
      inVersion(call, await policies.byIdentifier(call.identity.tenant, call.params.identifier), call.query),
    ),
    route(policyOperations.getDataQualityPolicyByName, async (call) =>
      inVersion(call, await policies.byName(call.identity.tenant, call.params.name), call.query),
    ),
    route(policyOperations.getDataQualityItems, async (call) => {
      const { document, source } = await policies.byId(call.identity.tenant, call.params.id)
      return { body: { items: document.answer.details.items }, position: source.position }
    }),
    route(policyOperations.getPolicy, async (call) => {
      const { document, source } = await policies.byIdentifier(call.identity.tenant, call.params.identifier)
      return { body: qualityRule(document.answer), position: source.position }
    }),
  ]
}
