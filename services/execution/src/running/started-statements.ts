import type { StartedStatement, StartedStatements } from '@assay/data-engine'
import { AssayError } from '@assay/service-kit/errors'

/** The statements of one claim of a piece of work. */
export function startedStatements(work: {
  /** What earlier claims noted. */
  earlier: readonly StartedStatement[] | undefined
  /** Records a statement. Returns whether this claim is still valid. */
  note(statement: StartedStatement): Promise<boolean>
  /** Whether another worker has claimed the work since. */
  isTakenOver(): Promise<boolean>
}): StartedStatements {
  const left = new Set(work.earlier)
  return {
    left: () => [...left],
    take: (statement) => void left.delete(statement),
    async note(statement) {
      // If the log does not answer, the work goes on: a worker that takes over only starts the statement again.
      const isNoted = await work.note(statement).catch(() => true)
      if (!isNoted) throw new AssayError('unavailable', 'The work was ended, or another worker has taken it over.')
    },
    isOurs: () =>
      work.isTakenOver().then(
        (isTakenOver) => !isTakenOver,
        () => false,
      ),
  }
}
