import { AssayError } from '@assay/service-kit/errors'
import type { Execution } from '../execution/execution.ts'
import type { KeptFile } from '../execution/run.ts'

export type Category = 'bad' | 'good'

/** The rows of a category that a run stored. Throws `unprocessable` with the reason if there are none. */
export function storedRows(state: Execution, category: Category): KeptFile {
  switch (state.status) {
    case 'waiting':
    case 'running':
      throw new AssayError('unprocessable', 'The execution is still running; its rows can be read when it has ended.')
    case 'failed':
      throw new AssayError('unprocessable', 'The execution failed; it has stored no rows.')
    case 'aborted':
      throw new AssayError('unprocessable', 'The execution was cancelled; it has stored no rows.')
    case 'succeeded': {
      if (state.rowsRemovedAt !== undefined) throw rowsGone()
      const kept = state.result.files[category]
      if (kept) return kept
      if (state.result.sides.every(({ rowsScanned }) => rowsScanned === null))
        throw new AssayError('unprocessable', 'Executions of this type read no rows, so there are none to show.')
      throw new AssayError(
        'unprocessable',
        `The ${category} rows of this execution were not stored: the configuration of its policy does not store them, or its items compare no rows.`,
      )
    }
    default:
      return state satisfies never
  }
}

/** The error for rows past their retention. */
export function rowsGone(): AssayError {
  return new AssayError('unprocessable', 'The rows of this execution are no longer stored, but its figures are.')
}
