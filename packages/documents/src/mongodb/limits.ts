import { AssayError } from '@assay/service-kit/errors'
import { translated } from './errors.ts'

/** All limits are in milliseconds. */
export interface MongoTimeouts {
  /** How long a call waits for a usable server before it throws `unavailable`. Default 3,000. */
  serverSelection?: number
  /** How long a read or a put may take in total before it throws `timeout`. Default 10,000. */
  operation?: number
  /** Time limit for creating an index and dropping a collection. Default 600,000. */
  index?: number
  /** How long a process caches the live collection. A rebuild waits for three times this. Default 500. */
  pointerAge?: number
}

export type Limits = Required<MongoTimeouts>

/** The limits with their defaults. Throws `invalid` for a limit that is not a positive whole number. */
export function limitsOf(timeouts: MongoTimeouts = {}): Limits {
  const limits = { serverSelection: 3000, operation: 10_000, index: 600_000, pointerAge: 500, ...timeouts }
  for (const [name, value] of Object.entries(limits))
    if (!Number.isSafeInteger(value) || value < 1)
      throw new AssayError('invalid', `The time limit "${name}" of MongoDB must be a whole number of milliseconds.`)
  return limits
}

/**
 * One call of the driver, with translated errors and its own timeout: the driver's `timeoutMS` has no effect, and the
 * server's `maxTimeMS` does not help if the server hangs. A put that timed out may have taken effect; repeating it is
 * harmless.
 */
export async function call<T>(milliseconds: number, work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new AssayError('timeout', `MongoDB did not answer within ${milliseconds} ms. Try again.`))
    }, milliseconds)
  })
  try {
    return await Promise.race([work(), late])
  } catch (error) {
    throw translated(error)
  } finally {
    clearTimeout(timer)
  }
}
