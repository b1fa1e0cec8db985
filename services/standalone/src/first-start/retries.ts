import { isAssayError } from '@assay/service-kit'
import type { InProcess } from './in-process.ts'

/** Maximum number of attempts: one minute, with a pause of 50 ms after each. */
const maxAttempts = 1_200

/**
 * Retries a call while a dependency is unavailable, for up to a minute: a server may be starting, or a local read model
 * may lag.
 */
export function withRetries(client: InProcess, pause: () => Promise<void>): InProcess {
  return {
    async call(operation, input) {
      for (let tries = 1; ; tries++) {
        try {
          return await client.call(operation, input)
        } catch (error) {
          if (!isAssayError(error, 'unavailable') || tries === maxAttempts) throw error
          await pause()
        }
      }
    },
  }
}
