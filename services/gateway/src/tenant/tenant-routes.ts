import { gatewayOperations, permissions } from '@assay/contracts'
import { type Documents, findPage } from '@assay/documents'
import type { CommandHandler } from '@assay/event-store'
import { type Clock, type Identity, isoTime, leaveUnnoted, type Route, route } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { defaultTenant, systemTenant } from '../dependencies.ts'
import { contextOf } from '../http/command-context.ts'
import type { KeyCommands } from '../keys/key-commands.ts'
import { accessKeyText, secretKeyText } from '../keys/key-text.ts'
import { storedBytes } from '../stored-bytes/collection.ts'
import { administratorKey } from './administrator.ts'
import { tenantAggregate, tenants } from './tenant.ts'

/** Also for keys with TENANT_MODIFY: in a further tenant, they write its shared channels and rules. */
function assertDefaultTenant({ tenant }: Identity): void {
  if (tenant !== defaultTenant)
    throw new AssayError('forbidden', `Only keys of the tenant '${defaultTenant}' can create and list tenants.`)
}

/** Creates and lists tenants. */
export function tenantRoutes(deps: {
  documents: Documents
  handler: CommandHandler
  commands: KeyCommands
  clock: Clock
  newSecret: () => Uint8Array
}): Route[] {
  const { documents, handler, commands, clock, newSecret } = deps
  return [
    route(gatewayOperations.createTenant, async (call) => {
      assertDefaultTenant(call.identity)
      const { name } = call.body
      // The streams of tenants and keys use this name.
      if (name === systemTenant)
        throw new AssayError('invalid', `name: must not be '${systemTenant}', which names Assay`)
      const key = { tenant: systemTenant, id: name }
      const { state } = await handler.load(tenantAggregate, key.tenant, key.id)
      if (state.status === 'active') throw new AssayError('taken', `A tenant named '${name}' exists already.`)
      const context = contextOf(call)
      const pair = { accessKey: accessKeyText(newSecret()), secretKey: secretKeyText(newSecret()) }
      const administrator = administratorKey(name, pair, permissions, clock.now())
      // The audit line belongs to the new tenant. The creator does not read it there, and the new tenant must not learn
      // who runs it.
      await leaveUnnoted(() => commands.create(administrator, { ...context, actor: 'system', accessKey: undefined }))
      // The tenant comes last: after a failure between the two writes the name is still free, and nobody knows the
      // pair.
      const at = isoTime(clock.now())
      try {
        const command = { type: 'CreateTenant', name, at, mustBeNew: true } as const
        await handler.handle(tenantAggregate, { ...key, command, context })
        return { body: { tenant: { id: name, name }, ...pair } }
      } catch (error) {
        const revoke = { type: 'RevokeApiKey', tenant: name, at, by: call.identity.user } as const
        await commands.change(pair.accessKey, revoke, context).catch(() => undefined)
        throw error
      }
    }),

    route(gatewayOperations.listTenants, async (call) => {
      const { page, size, sortBy } = call.query
      assertDefaultTenant(call.identity)
      const { documents: found, count } = await findPage(documents, call, tenants, {
        tenant: systemTenant,
        sort: [sortBy ?? { field: 'id', direction: 'asc' }],
        page,
        size,
      })
      const data = await Promise.all(
        found.map(async ({ name, createdAt }) => {
          const stored = await documents.get(storedBytes, systemTenant, name)
          return { id: name, name, createdAt, storedBytes: stored?.document.bytes ?? 0 }
        }),
      )
      return { body: { data, meta: { count, page, size } } }
    }),
  ]
}
