import { AssayError } from '@assay/service-kit/errors'

/** The maximum size for `readText`, in bytes. */
export const maxTextBytes = 16 * 1024 * 1024

/** The error `too-large` for a file above that limit. */
export function tooLargeForText(key: string): AssayError {
  return new AssayError('too-large', `The file ${key} is too large to be read as text: 16 MiB is the limit.`)
}
