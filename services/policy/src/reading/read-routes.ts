import { policyOperations, qualityRuleOf } from '@assay/contracts'
import type { Stored } from '@assay/documents'
import type { ReadYourWrites } from '@assay/event-store'
import { type Caller, type Route, route } from '@assay/service-kit'
import { kinds, kindsByAsset, type VersionQuery } from '../kinds.ts'
import type { PolicyDocument } from '../policy/aggregate.ts'
import type { Policies } from './find-policy.ts'
import type { Versions } from './versions.ts'

/** One policy: its current state, an earlier version, its items. */
export function readRoutes(deps: { policies: Policies; versions: Versions; executed: ReadYourWrites }): Route[] {
  const { policies, versions, executed } = deps

  async function wantedVersion(call: Caller, id: number, query: VersionQuery): Promise<number | undefined> {
    if (query.version !== undefined || !query.onlyExecutedVersion) return query.version
    const { tenant } = call.identity
    const readPosition = async () => (await versions.executed(tenant, id))?.position
    await executed.waitForPosition({ tenant, seen: call.seen.get('execution'), readPosition, signal: call.signal })
    return (await versions.executed(tenant, id))?.version
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
    return { body: past ?? answer, position: stored.source.position }
  }

  const ofKinds = kinds.flatMap(({ type, operations, wrong }) => {
    const own = policies.of(type)
    const itemsOf = ({ document, source }: Stored<PolicyDocument>) => ({
      body: { items: document.answer.details.items },
      position: source.position,
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
        const { document, source } = await policies.of(type).byAsset(call.identity.tenant, call.params.identifier)
        return { body: document.answer, position: source.position }
      }),
    ),
    route(policyOperations.getPolicy, async (call) => {
      const { document, source } = await policies.byIdentifier(call.identity.tenant, call.params.identifier)
      return { body: qualityRuleOf(document.answer), position: source.position }
    }),
  ]
}
