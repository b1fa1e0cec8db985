import { adminOperations } from '@assay/contracts'
import { type Asking, type Condition, type Documents, findPage } from '@assay/documents'
import { type Clock, type Identity, isoTime, type Route, route } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { systemTenant } from '../dependencies.ts'
import { contextOf } from '../http/command-context.ts'
import { apiKeys } from '../key/aggregate.ts'
import { keyDetails } from '../service-users/service-user-routes.ts'
import type { KeyCommands } from './key-commands.ts'

type Listed = Asking & {
  identity: Identity
  query: { page: number; size: number; sortBy?: { field: string; direction: 'asc' | 'desc' } | undefined }
}

/** Older clients list and revoke keys with these routes: their own or, with the permission, everybody's. */
export function userKeyRoutes(deps: { documents: Documents; commands: KeyCommands; clock: Clock }): Route[] {
  const { documents, commands, clock } = deps

  async function listed(call: Listed, more: readonly Condition[]) {
    const { page, size, sortBy } = call.query
    const { documents: keys, count } = await findPage(documents, call, apiKeys, {
      tenant: systemTenant,
      where: [{ field: 'tenant', is: call.identity.tenant }, { field: 'status', is: 'active' }, ...more],
      sort: [sortBy ?? { field: 'createdAt', direction: 'desc' }],
      page,
      size,
    })
    return { body: { apiKeys: keys.map(keyDetails), meta: { page, size, total: count } } }
  }

  return [
    route(adminOperations.listUserApiKeys, async (call) => {
      const { identity } = call
      const { userId } = call.params
      if (userId !== identity.user && !identity.permissions.has('API_KEYS_VIEW'))
        throw new AssayError('forbidden', 'This key lacks the permission API_KEYS_VIEW for the keys of others.')
      const of: Condition = { field: 'user', is: userId }
      if (userId !== identity.user) {
        const where = [{ field: 'tenant', is: identity.tenant }, of]
        const { count } = await documents.find(apiKeys, systemTenant, { where, size: 0 })
        if (count === 0)
          throw new AssayError('not-found', 'There is no user with this name: no key was ever created for them.')
      }
      return listed(call, [of])
    }),
    route(adminOperations.listAllApiKeys, (call) => listed(call, [])),
    route(adminOperations.deleteUserApiKey, async (call) => {
      const { tenant, user, permissions } = call.identity
      const { accessKey } = call.params
      const key = await commands.load(accessKey)
      const isOwn = key.status !== 'absent' && key.tenant === tenant && key.user === user
      // Without the permission, a key of another user counts as unknown.
      if (!isOwn && !permissions.has('API_KEYS_MODIFY'))
        throw new AssayError('forbidden', 'This key lacks the permission API_KEYS_MODIFY for the keys of others.')
      const revoke = { type: 'RevokeApiKey', tenant, at: isoTime(clock.now()), by: user } as const
      await commands.change(accessKey, revoke, contextOf(call))
      return { body: { message: 'The key was revoked.', status: true } }
    }),
  ]
}
