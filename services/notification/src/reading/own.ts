import type { Condition } from '@assay/documents'
import type { Caller } from '@assay/service-kit'
import { readersWith } from '../notification/about.ts'

/** The notifications of the caller, and digests with a part that the caller may read. Pure. */
export const readableBy = ({ identity: { user, permissions } }: Caller): Condition[] => [
  { field: 'recipient', is: user },
  { field: 'about', in: readersWith(permissions) },
]
