import { isAssayError } from '@assay/service-kit/errors'

const tries = 5

/**
 * Runs an append, and again while its outcome is unknown: with the same ids and the same expected revision that is safe
 * (idempotent append). After five tries the error stands.
 */
export async function appendAgain<T>(append: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await append()
    } catch (error) {
      if (attempt === tries || !isAssayError(error, 'unknown-outcome')) throw error
    }
  }
}
