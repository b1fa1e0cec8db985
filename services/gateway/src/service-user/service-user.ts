import type { Permission } from '@assay/contracts'
import { AssayError } from '@assay/service-kit/errors'

type By = { at: string; by: string }

export type ServiceUserEvent =
  | { type: 'ServiceUserCreated'; data: By & { username: string; description: string | null } }
  | { type: 'ServiceUserUpdated'; data: By & { enabled: boolean; description: string | null } }
  | { type: 'ServiceUserRolesChanged'; data: By & { roles: readonly Permission[] } }

/** An account for a program. Its roles are the permissions of its keys. */
export type KnownServiceUser = {
  status: 'active'
  username: string
  description: string | null
  enabled: boolean
  roles: readonly Permission[]
  createdAt: string
  createdBy: string
  updatedAt: string
  updatedBy: string
}
export type ServiceUserState = { status: 'absent' } | KnownServiceUser

export const noServiceUser: ServiceUserState = { status: 'absent' }

export function evolveServiceUser(state: ServiceUserState, event: ServiceUserEvent): ServiceUserState {
  const { at, by } = event.data
  if (event.type === 'ServiceUserCreated') {
    const { username, description } = event.data
    const times = { createdAt: at, createdBy: by, updatedAt: at, updatedBy: by }
    return { status: 'active', username, description, enabled: true, roles: [], ...times }
  }
  if (state.status === 'absent') return state
  const touched = { ...state, updatedAt: at, updatedBy: by }
  switch (event.type) {
    case 'ServiceUserUpdated':
      return { ...touched, enabled: event.data.enabled, description: event.data.description }
    case 'ServiceUserRolesChanged':
      return { ...touched, roles: event.data.roles }
    default:
      return event satisfies never
  }
}

/** `held`: the caller's permissions; nobody grants more. Without `description`, the current one is kept. */
export type ServiceUserCommand =
  | ({ type: 'CreateServiceUser'; username: string; description: string | null } & By)
  | ({
      type: 'UpdateServiceUser'
      enabled: boolean
      description: string | undefined
      held: ReadonlySet<Permission>
    } & By)
  | ({ type: 'AddRoles'; roles: readonly Permission[]; held: ReadonlySet<Permission> } & By)
  | ({ type: 'RemoveRoles'; roles: readonly Permission[] } & By)

/** Throws `forbidden` if `wanted` has a permission that the caller lacks. */
export function assertHeld(wanted: readonly Permission[], held: ReadonlySet<Permission>): void {
  const missing = wanted.find((permission) => !held.has(permission))
  if (missing)
    throw new AssayError('forbidden', `This key lacks the permission ${missing}, so it cannot give it to another.`)
}

function known(state: ServiceUserState): KnownServiceUser {
  if (state.status === 'absent')
    throw new AssayError('not-found', 'There is no such service user. List them to see which exist.')
  return state
}

/** Throws `taken`, `not-found`, `forbidden`. A change without effect causes no event. */
export function decideServiceUser(command: ServiceUserCommand, state: ServiceUserState): ServiceUserEvent[] {
  const { at, by } = command
  switch (command.type) {
    case 'CreateServiceUser': {
      if (state.status === 'active')
        throw new AssayError('taken', `A service user named '${command.username}' exists already.`)
      const { username, description } = command
      return [{ type: 'ServiceUserCreated', data: { username, description, at, by } }]
    }
    case 'UpdateServiceUser': {
      const user = known(state)
      const { enabled, description = user.description } = command
      if (enabled && !user.enabled) assertHeld(user.roles, command.held)
      if (enabled === user.enabled && description === user.description) return []
      return [{ type: 'ServiceUserUpdated', data: { enabled, description, at, by } }]
    }
    case 'AddRoles': {
      const user = known(state)
      assertHeld(command.roles, command.held)
      const roles = [...new Set([...user.roles, ...command.roles])]
      return roles.length === user.roles.length ? [] : [{ type: 'ServiceUserRolesChanged', data: { roles, at, by } }]
    }
    case 'RemoveRoles': {
      const user = known(state)
      const roles = user.roles.filter((each) => !command.roles.includes(each))
      return roles.length === user.roles.length ? [] : [{ type: 'ServiceUserRolesChanged', data: { roles, at, by } }]
    }
    default:
      return command satisfies never
  }
}
