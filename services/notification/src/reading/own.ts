import type { Condition } from '@assay/documents'
import type { Caller } from '@assay/service-kit'
import { readable } from '../notification/about.ts'

/** The notifications of the caller. Without the permission to read its asset or policy, one is neither listed nor counted. Pure. */
export const readableBy = ({ identity: { user, permissions } }: Caller): Condition[] => [
  { field: 'recipient', is: user },
  { field: 'about', in: readable(permissions) },
]
