import {
  type ApiKeyDetails,
  adminOperations,
  type Permission,
  permissionOfRole,
  roleOf,
  type ServiceUser,
} from '@assay/contracts'
import { type Documents, findPage } from '@assay/documents'
import type { CommandHandler } from '@assay/event-store'
import { type Clock, type Identity, isoTime, type Route, route } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { systemTenant } from '../dependencies.ts'
import { contextOf } from '../http/command-context.ts'
import { apiKeys, type KeyDocument } from '../key/aggregate.ts'
import type { KeyCommands } from '../keys/key-commands.ts'
import { assertMayActFor, checkedTime, checkedUser } from '../keys/key-routes.ts'
import { accessKeyText, secretKeyText } from '../keys/key-text.ts'
import {
  type ServiceUserDocument,
  serviceUserAggregate,
  serviceUserIdOf,
  serviceUsers,
} from '../service-user/aggregate.ts'
import { assertHeld, type KnownServiceUser, type ServiceUserCommand } from '../service-user/service-user.ts'

const keysAtOnce = 500
const acknowledged = (message: string) => ({ message, status: true })

/** A key as older clients list it. */
export function keyDetails(key: KeyDocument): ApiKeyDetails {
  const { accessKey, displayName, user: userName } = key
  const times = { createdAt: Date.parse(key.createdAt), validTill: Date.parse(key.validTill) }
  return { accessKey, displayName, email: '', secretKey: '***', ...times, userName }
}

function permissionsOf(roleIds: readonly number[]): Permission[] {
  return roleIds.map((roleId, index) => {
    const permission = permissionOfRole(roleId)
    if (permission === undefined) throw new AssayError('invalid', `roles[${index}]: there is no role with this id`)
    return permission
  })
}

type Caller = Parameters<typeof contextOf>[0]

/** Service users: a change of their roles changes their keys immediately. */
export function serviceUserRoutes(deps: {
  documents: Documents
  handler: CommandHandler
  commands: KeyCommands
  clock: Clock
  newSecret: () => Uint8Array
}): Route[] {
  const { documents, handler, commands, clock, newSecret } = deps

  async function keysOf(serviceUserId: string, tenant: string): Promise<KeyDocument[]> {
    const where = [
      { field: 'tenant', is: tenant },
      { field: 'serviceUserId', is: serviceUserId },
      { field: 'status', is: 'active' },
    ]
    const keys: KeyDocument[] = []
    for (let page = 0; ; page += 1) {
      const found = await documents.find(apiKeys, systemTenant, { where, page, size: keysAtOnce })
      keys.push(...found.documents)
      if (found.documents.length < keysAtOnce) return keys
    }
  }

  /** Without the permission, a service user must not have the name of a user with keys of their own: it acts as them. */
  async function assertMayUseName(call: Caller & { identity: Identity }, id: string, username: string): Promise<void> {
    const where = [
      { field: 'tenant', is: call.identity.tenant },
      { field: 'user', is: username },
      { field: 'serviceUserId', not: id },
    ]
    if ((await documents.find(apiKeys, systemTenant, { where, size: 0 })).count > 0) assertMayActFor(username, call)
  }

  /** Applies a change of the user to its keys. If interrupted, sending the change again completes it. */
  async function adjustKeys(caller: Caller, id: string, user: KnownServiceUser, userRevision: number): Promise<void> {
    const { tenant, user: by } = caller.identity
    const about = { tenant, at: isoTime(clock.now()), by, userRevision }
    const adjust = { type: 'AdjustApiKey', ...about, permissions: user.roles, suspended: !user.enabled } as const
    for (const { accessKey } of await keysOf(id, tenant)) await commands.change(accessKey, adjust, contextOf(caller))
  }

  const by = (caller: Caller) => ({ at: isoTime(clock.now()), by: caller.identity.user })

  async function change(caller: Caller, id: string, command: ServiceUserCommand) {
    const { tenant } = caller.identity
    const context = contextOf(caller)
    const { state, revision } = await handler.handle(serviceUserAggregate, { tenant, id, command, context })
    if (state.status === 'absent') throw new AssayError('internal', 'The changed service user is missing.')
    await adjustKeys(caller, id, state, revision)
    return state
  }

  function recordOf(user: ServiceUserDocument, keys: readonly KeyDocument[]): ServiceUser {
    const { id, username, enabled, description, createdBy, updatedBy } = user
    const times = { createdOn: Date.parse(user.createdAt), updatedOn: Date.parse(user.updatedAt) }
    return {
      id,
      username,
      email: '',
      enabled,
      apiKeys: keys.map(keyDetails),
      roles: user.roles.map(roleOf),
      domainRoleMappings: [],
      description: description ?? '',
      createdBy,
      updatedBy,
      ...times,
    }
  }

  async function known(tenant: string, id: string): Promise<{ user: KnownServiceUser; revision: number }> {
    const { state, revision } = await handler.load(serviceUserAggregate, tenant, id)
    if (state.status === 'absent')
      throw new AssayError('not-found', 'There is no such service user. List them to see which exist.')
    return { user: state, revision }
  }

  return [
    route(adminOperations.createServiceUser, async (call) => {
      const username = checkedUser(call.body.username, 'username')
      const id = serviceUserIdOf(call.identity.tenant, username)
      await assertMayUseName(call, id, username)
      const description = call.body.description ?? null
      const create = { type: 'CreateServiceUser', username, description, ...by(call) } as const
      const state = await change(call, id, create)
      const { status: _, roles, ...rest } = state
      return { body: recordOf({ id, ...rest, roles: [...roles] }, []) }
    }),

    route(adminOperations.listServiceUsers, async (call) => {
      const { searchString, first, max } = call.query
      const { tenant } = call.identity
      const where = searchString ? [{ field: 'username', contains: searchString }] : []
      const sort = [{ field: 'username', direction: 'asc' as const }]
      // `first` need not be a multiple of `max`, so read the two pages that hold the wanted rows.
      const size = Math.max(max, 1)
      const page = Math.floor(first / size)
      const part = (at: number) => findPage(documents, call, serviceUsers, { tenant, where, sort, page: at, size })
      // In sequence: the second page uses the cursor of the first.
      const begin = await part(page)
      const rows = [...begin.documents, ...(await part(page + 1)).documents].slice(first - page * size)
      const shown = rows.slice(0, max)
      const list = await Promise.all(shown.map(async (user) => recordOf(user, await keysOf(user.id, tenant))))
      const meta = { page, size: max, total: begin.count }
      return { body: { serviceUsers: list, meta } }
    }),

    route(adminOperations.getServiceUser, async ({ params: { serviceUserId: id }, identity: { tenant } }) => {
      const { user } = await known(tenant, id)
      const { status: _, roles, ...rest } = user
      return { body: recordOf({ id, ...rest, roles: [...roles] }, await keysOf(id, tenant)) }
    }),

    route(adminOperations.updateServiceUser, async (call) => {
      const { enabled, description } = call.body
      const { permissions: held } = call.identity
      const update = { type: 'UpdateServiceUser', enabled, description, held, ...by(call) } as const
      await change(call, call.params.serviceUserId, update)
      return { body: acknowledged('The service user was updated.') }
    }),

    route(adminOperations.addServiceUserRoles, async (call) => {
      const roles = permissionsOf(call.body.roles)
      const add = { type: 'AddRoles', roles, held: call.identity.permissions, ...by(call) } as const
      await change(call, call.params.serviceUserId, add)
      return { body: acknowledged('The service user has the roles.') }
    }),

    route(adminOperations.removeServiceUserRoles, async (call) => {
      const roles = permissionsOf(call.body.roles)
      const remove = { type: 'RemoveRoles', roles, ...by(call) } as const
      await change(call, call.params.serviceUserId, remove)
      return { body: acknowledged('The service user no longer has the roles.') }
    }),

    route(adminOperations.createServiceUserKey, async (call) => {
      const { tenant, permissions: held } = call.identity
      const validTill = checkedTime(call.body.validTill, clock.now())
      const id = call.params.serviceUserId
      const { user } = await known(tenant, id)
      if (!user.enabled) throw new AssayError('unprocessable', 'The service user is disabled. Enable it first.')
      if (user.roles.length === 0)
        throw new AssayError('unprocessable', 'The service user has no roles, so a key could do nothing. Add roles.')
      assertHeld(user.roles, held)
      await assertMayUseName(call, id, user.username)
      const pair = { accessKey: accessKeyText(newSecret()), secretKey: secretKeyText(newSecret()) }
      const { displayName } = call.body
      const key = { tenant, ...pair, displayName, user: user.username, validTill, permissions: user.roles }
      await commands.create({ ...key, serviceUserId: id }, contextOf(call))
      // A concurrent change of the user may have missed this key.
      const now = await known(tenant, id)
      await adjustKeys(call, id, now.user, now.revision)
      return { body: { ...pair, displayName, validTill, email: null, ingestKey: null } }
    }),

    route(adminOperations.deleteServiceUserKey, async (call) => {
      const { tenant, user: by } = call.identity
      const { serviceUserId, accessKey } = call.params
      await known(tenant, serviceUserId)
      const key = await commands.load(accessKey)
      if (key.status === 'absent' || key.tenant !== tenant || key.serviceUserId !== serviceUserId)
        throw new AssayError('not-found', 'The service user has no such key.')
      const revoke = { type: 'RevokeApiKey', tenant, at: isoTime(clock.now()), by } as const
      await commands.change(accessKey, revoke, contextOf(call))
      return { body: acknowledged('The key was revoked.') }
    }),
  ]
}
