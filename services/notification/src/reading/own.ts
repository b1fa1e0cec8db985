import type { Condition } from '@assay/documents'
import type { Caller } from '@assay/service-kit'
import { readable } from '../notification/about.ts'

/** The notifications of the caller. Excludes those whose asset or policy the caller may not read. Pure. */
export const readableBy = ({ identity: { user, permissions } }: Caller): Condition[] => [
  { field: 'recipient', is: user },
  { field: 'about', in: readable(permissions) },
]
