import { persistenceOperations as operations } from '@assay/contracts'
import { type Documents, findPage } from '@assay/documents'
import type { CommandHandler } from '@assay/event-store'
import { type Caller, type Clock, commandContext, isoTime, type Route, route } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { assertTemplates } from '../configuration/stored-configuration.ts'
import { policies } from '../policy/aggregate.ts'
import { configsId, type PersistenceDocument, persistenceAggregate, persistenceConfigs } from './aggregate.ts'
import type { PersistenceConfigs } from './configs.ts'
import { configOf, type PersistenceCommand } from './decide.ts'
import type { Propagation } from './propagation.ts'
import { configRecord } from './records.ts'

/** Maximum number of policies updated before the request is answered. All others are updated later. */
const propagatedAtOnce = 200

/** The saved persistence configurations of a tenant. The first read creates the default one. */
export function persistenceConfigRoutes(deps: {
  handler: CommandHandler
  documents: Documents
  propagation: Propagation
  clock: Clock
}): Route[] {
  const { handler, documents, propagation, clock } = deps
  const now = () => isoTime(clock.now())

  async function write(call: Caller, command: PersistenceCommand): Promise<PersistenceConfigs> {
    const context = command.kind === 'EnsureDefault' ? { actor: 'system/policy' } : commandContext(call)
    const request = { tenant: call.identity.tenant, id: configsId, command, context }
    return (await handler.handle(persistenceAggregate, request)).state
  }
  const ensureDefault = (call: Caller) => write(call, { kind: 'EnsureDefault', at: now() })

  async function policyCount(tenant: string, id: number, isDefault: boolean): Promise<number> {
    const where = [{ field: 'persistenceId', in: isDefault ? [id, 0] : [id] }]
    return (await documents.find(policies, tenant, { where, size: 0 })).count
  }

  async function recordOf(tenant: string, document: PersistenceDocument) {
    return configRecord(document, tenant, await policyCount(tenant, document.id, document.isDefault))
  }

  function written(call: Caller, state: PersistenceConfigs, id: number) {
    return recordOf(call.identity.tenant, { ...configOf(state, id), isDefault: state.defaultId === id })
  }

  /** Applies a configuration to its policies. */
  const propagate = (call: Caller, configId: number) =>
    propagation.toAll(call.identity.tenant, configId, commandContext(call), propagatedAtOnce)

  return [
    route(operations.getDefaultPersistenceConfig, async (call) => {
      const state = await ensureDefault(call)
      if (state.defaultId === null) throw new AssayError('internal', 'The tenant has no default configuration.')
      return { body: await written(call, state, state.defaultId) }
    }),
    route(operations.listPersistenceConfigs, async (call) => {
      const { tenant } = call.identity
      const { page, size, sortBy } = call.query
      await ensureDefault(call)
      const sort = sortBy === undefined ? {} : { sort: [sortBy] }
      const found = await findPage(documents, call, persistenceConfigs, { tenant, ...sort, page, size })
      const data = await Promise.all(found.documents.map((document) => recordOf(tenant, document)))
      return { body: { data, meta: { count: found.count, page, size } } }
    }),
    route(operations.getPersistenceConfig, async (call) => {
      const state = await ensureDefault(call)
      return { body: await written(call, state, call.params.id) }
    }),
    route(operations.createPersistenceConfig, async (call) => {
      const { name, categoriesConfig, description = null } = call.body
      assertTemplates(categoriesConfig, 'categoriesConfig')
      await ensureDefault(call)
      const content = { name, categoriesConfig, description: description === '' ? null : description }
      const command = { kind: 'CreateConfig' as const, ...content, at: now(), by: call.identity.user }
      const state = await write(call, command)
      return { body: await written(call, state, state.lastId) }
    }),
    route(operations.updatePersistenceConfig, async (call) => {
      const { name, categoriesConfig, description } = call.body
      const { id } = call.params
      if (categoriesConfig !== undefined) assertTemplates(categoriesConfig, 'categoriesConfig')
      await ensureDefault(call)
      const content = { name, categoriesConfig, description: description === '' ? null : description }
      const state = await write(call, { kind: 'ChangeConfig', id, ...content, at: now(), by: call.identity.user })
      await propagate(call, id)
      if (state.defaultId === id) await propagate(call, 0)
      return { body: await written(call, state, id) }
    }),
    route(operations.setDefaultPersistenceConfig, async (call) => {
      const { id } = call.params
      await ensureDefault(call)
      const state = await write(call, { kind: 'MakeDefault', id, at: now(), by: call.identity.user })
      await propagate(call, 0)
      return { body: await written(call, state, id) }
    }),
    route(operations.deletePersistenceConfig, async (call) => {
      const { id } = call.params
      await ensureDefault(call)
      const count = await policyCount(call.identity.tenant, id, false)
      await write(call, { kind: 'DeleteConfig', id, policyCount: count, at: now(), by: call.identity.user })
      return {}
    }),
  ]
}
