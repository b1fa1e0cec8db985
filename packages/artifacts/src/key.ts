import { AssayError } from '@assay/service-kit/errors'

/** A folder next to the tenants' folders, so no tenant can have this name. */
export const stagingFolder = '.staging'

const maxSegment = 255
const maxKey = 1024

function fits(segment: string): boolean {
  return /^[A-Za-z0-9._=-]+$/.test(segment) && segment !== '.' && segment !== '..' && segment.length <= maxSegment
}

function refused(): AssayError {
  return new AssayError(
    'invalid',
    'The key of an artifact must be a tenant and names, joined by /. Allowed are letters, digits and . _ = -.',
  )
}

/** The segments of a tenant or of a key below it. Throws `invalid` for anything else. */
export function checkedPrefix(prefix: string): string[] {
  const segments = prefix.split('/')
  if (prefix.length > maxKey || !segments.every(fits) || segments[0] === stagingFolder) throw refused()
  return segments
}

/** The segments of a key: a tenant and at least one name. Throws `invalid` for anything else. */
export function checkedKey(key: string): string[] {
  const segments = checkedPrefix(key)
  if (segments.length < 2) throw refused()
  return segments
}
