import { isAssayError } from '@assay/service-kit'
import type { InProcess } from './in-process.ts'

/** With a pause of 50 ms after each, a minute. */
const mostTries = 1_200

/** Repeats a call while what it needs is unavailable: a server may start, or a copy be behind, for up to a minute. */
export function withRetries(client: InProcess, pause: () => Promise<void>): InProcess {
  return {
    async call(operation, input) {
      for (let tries = 1; ; tries++) {
        try {
          return await client.call(operation, input)
        } catch (error) {
          if (!isAssayError(error, 'unavailable') || tries === mostTries) throw error
          await pause()
        }
      }
    },
  }
}
