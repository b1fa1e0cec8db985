import { permissions } from '@assay/contracts'
import { defineCollection, documentPut } from '@assay/documents'
import type { Aggregate } from '@assay/event-store'
import { uuidV5 } from '@assay/service-kit'
import { z } from 'zod'
import {
  decideServiceUser,
  evolveServiceUser,
  noServiceUser,
  type ServiceUserCommand,
  type ServiceUserEvent,
  type ServiceUserState,
} from './service-user.ts'

const document = z.object({
  id: z.string(),
  username: z.string(),
  description: z.string().nullable(),
  enabled: z.boolean(),
  roles: z.array(z.enum(permissions)),
  createdAt: z.string(),
  createdBy: z.string(),
  updatedAt: z.string(),
  updatedBy: z.string(),
})
export type ServiceUserDocument = z.infer<typeof document>

export const serviceUsers = defineCollection<ServiceUserDocument>({
  name: 'service_users',
  version: 4,
  idType: 'text',
  schema: document,
  fields: { username: { type: 'text', of: ({ username }) => username } },
})

/** The id of a service user derives from its name, which makes the name unique in its tenant. */
export function serviceUserIdOf(tenant: string, username: string): string {
  return uuidV5('service-user', tenant, username)
}

/** Streams `<tenant>/serviceuser-<id>`. */
export const serviceUserAggregate: Aggregate<ServiceUserState, ServiceUserCommand, ServiceUserEvent> = {
  category: 'serviceuser',
  decider: { initialState: noServiceUser, decide: decideServiceUser, evolve: evolveServiceUser },
  schemaVersion: 1,
  documents(state, { tenant, id }, source) {
    if (state.status === 'absent') return []
    const { status: _, roles, ...rest } = state
    return [documentPut(serviceUsers, tenant, id, { id, ...rest, roles: [...roles] }, source)]
  },
}
