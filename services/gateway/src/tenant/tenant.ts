import { defineCollection, documentPut } from '@assay/documents'
import type { Aggregate } from '@assay/event-store'
import { AssayError } from '@assay/service-kit/errors'
import { z } from 'zod'

export type TenantEvent = { type: 'TenantCreated'; data: { name: string; createdAt: string } }

export type TenantState = { status: 'absent' } | { status: 'active'; name: string; createdAt: string }

/** `mustBeNew`: absent for the tenant of the first start, which every replica creates. */
export type TenantCommand = { type: 'CreateTenant'; name: string; at: string; mustBeNew?: true }

/** Creating an existing tenant changes nothing, or is refused as `taken` if it must be new. */
export function decideTenant(command: TenantCommand, state: TenantState): TenantEvent[] {
  if (state.status === 'active') {
    if (command.mustBeNew) throw new AssayError('taken', `A tenant named '${command.name}' exists already.`)
    return []
  }
  return [{ type: 'TenantCreated', data: { name: command.name, createdAt: command.at } }]
}

export function evolveTenant(_state: TenantState, event: TenantEvent): TenantState {
  return { status: 'active', ...event.data }
}

const tenantDocument = z.object({ name: z.string(), createdAt: z.string() })

export const tenants = defineCollection<z.infer<typeof tenantDocument>>({
  name: 'tenants',
  version: 1,
  idType: 'text',
  schema: tenantDocument,
  fields: {},
})

/** Streams of the system tenant, with the tenant's name as id. */
export const tenantAggregate: Aggregate<TenantState, TenantCommand, TenantEvent> = {
  category: 'tenant',
  decider: { initialState: { status: 'absent' }, decide: decideTenant, evolve: evolveTenant },
  schemaVersion: 1,
  documents(state, key, source) {
    if (state.status === 'absent') return []
    const { name, createdAt } = state
    return [documentPut(tenants, key.tenant, key.id, { name, createdAt }, source)]
  },
}
