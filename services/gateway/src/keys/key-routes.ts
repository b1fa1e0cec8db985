import { type ApiKey, type ApiKeySecret, gatewayOperations, permissions } from '@assay/contracts'
import { type Documents, findPage } from '@assay/documents'
import { type Clock, type Identity, isoTime, type Route, route } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { systemTenant } from '../dependencies.ts'
import { contextOf } from '../http/command-context.ts'
import { apiKeys, type KeyDocument } from '../key/aggregate.ts'
import { serviceUserIdOf, serviceUsers } from '../service-user/aggregate.ts'
import type { KeyCommands } from './key-commands.ts'
import { accessKeyText, hashOf, secretKeyText } from './key-text.ts'
import type { KeyUses } from './key-uses.ts'

/** The latest time that ECMAScript can represent. */
const lastTime = 8_640_000_000_000_000

/** Throws `invalid` if the time is not in the future. */
export function checkedTime(validTill: number, now: number): number {
  if (validTill <= now) throw new AssayError('invalid', 'validTill: must be in the future')
  if (validTill > lastTime) throw new AssayError('invalid', 'validTill: must be a time before the year 275760')
  return validTill
}

/** Throws `invalid` for the name of Assay itself; `field` is its name in the request. */
export function checkedUser(userName: string, field = 'userName'): string {
  // Assay's own actions are recorded under this name.
  if (userName.toLowerCase() === 'system')
    throw new AssayError('invalid', `${field}: must not be 'system', which names Assay itself`)
  return userName
}

/** Checks that the caller may get the secret of a key that acts as `user`. Throws `forbidden`. */
export function assertMayActFor(user: string, { identity }: { identity: Identity }): void {
  if (user === identity.user || identity.permissions.has('USERS_IMPERSONATE')) return
  throw new AssayError(
    'forbidden',
    'This key lacks the permission USERS_IMPERSONATE for keys that act for another user.',
  )
}

function listed(key: KeyDocument, lastUsedAt: number | undefined): ApiKey {
  const { accessKey, displayName, createdBy } = key
  const createdAt = Date.parse(key.createdAt)
  return {
    accessKey,
    displayName,
    createdBy,
    createdAt,
    validTill: Date.parse(key.validTill),
    // Uses are recorded by the minute, which may have begun before the key was created.
    lastUsedAt: lastUsedAt === undefined ? null : Math.max(lastUsedAt, createdAt),
    permissions: key.permissions,
    revoked: key.status === 'revoked',
  }
}

/** The four operations on keys. Nobody creates or gets a key that can do more than their own. */
export function keyRoutes(deps: {
  documents: Documents
  commands: KeyCommands
  uses: KeyUses
  clock: Clock
  newSecret: () => Uint8Array
}): Route[] {
  const { documents, commands, uses, clock, newSecret } = deps

  /** Who may only manage keys can create a service user of any name. Its keys would act for the user of the new key. */
  async function assertNoServiceUser(tenant: string, userName: string): Promise<void> {
    if ((await documents.get(serviceUsers, tenant, serviceUserIdOf(tenant, userName))) === undefined) return
    throw new AssayError('invalid', `userName: '${userName}' is a service user; make its keys by its own route.`)
  }

  return [
    route(gatewayOperations.createApiKey, async (call) => {
      const { displayName, userName } = call.body
      const validTill = checkedTime(call.body.validTill, clock.now())
      const user = userName === undefined ? call.identity.user : checkedUser(userName)
      assertMayActFor(user, call)
      if (user !== call.identity.user) await assertNoServiceUser(call.identity.tenant, user)
      const granted = permissions.filter((permission) => call.body.permissions.includes(permission))
      const missing = granted.find((permission) => !call.identity.permissions.has(permission))
      if (missing)
        throw new AssayError('forbidden', `This key lacks the permission ${missing}, so it cannot give it to another.`)
      const accessKey = accessKeyText(newSecret())
      const secretKey = secretKeyText(newSecret())
      const key = { tenant: call.identity.tenant, accessKey, secretKey, displayName, user, validTill }
      await commands.create({ ...key, permissions: granted }, contextOf(call))
      const body: ApiKeySecret = { accessKey, secretKey, displayName, validTill, permissions: granted }
      return { body }
    }),

    route(gatewayOperations.listApiKeys, async (call) => {
      const { page, size, sortBy } = call.query
      const { documents: keys, count } = await findPage(documents, call, apiKeys, {
        tenant: systemTenant,
        where: [{ field: 'tenant', is: call.identity.tenant }],
        sort: [sortBy ?? { field: 'createdAt', direction: 'desc' }],
        page,
        size,
      })
      const ids = keys.map((key) => hashOf(key.accessKey))
      const used = await uses.of(ids)
      const list = keys.map((key, index) => listed(key, used.get(ids[index] ?? '')))
      return { body: { apiKeys: list, meta: { count, page, size } } }
    }),

    route(gatewayOperations.revokeApiKey, async (call) => {
      const { tenant, user } = call.identity
      const command = { type: 'RevokeApiKey', tenant, at: isoTime(clock.now()), by: user } as const
      await commands.change(call.params.accessKey, command, contextOf(call))
      return {}
    }),

    route(gatewayOperations.rotateApiKey, async (call) => {
      const { tenant, user, permissions: callerPermissions } = call.identity
      const { accessKey } = call.params
      const known = await commands.load(accessKey)
      if (known.status !== 'absent' && known.tenant === tenant) assertMayActFor(known.user, call)
      const secretKey = secretKeyText(newSecret())
      const now = clock.now()
      const overlapTill = isoTime(now + call.body.overlapSeconds * 1000)
      const secretHash = hashOf(secretKey)
      const { state } = await commands.change(
        accessKey,
        { type: 'RotateApiKey', tenant, at: isoTime(now), by: user, secretHash, overlapTill, callerPermissions },
        contextOf(call),
      )
      if (state.status === 'absent') throw new AssayError('internal', 'The rotated key is missing.')
      const { displayName, permissions: granted } = state
      const validTill = Date.parse(state.validTill)
      const body: ApiKeySecret = { accessKey, secretKey, displayName, validTill, permissions: [...granted] }
      return { body }
    }),
  ]
}
