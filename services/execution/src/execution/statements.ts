import { z } from 'zod'

/**
 * A long statement at a source. `reference`: how the engine continues it, a secret until the statement ends. Holds no SQL
 * and no data.
 */
export const startedStatement = z.object({ digest: z.string(), reference: z.string() })
export type StartedStatement = z.infer<typeof startedStatement>

/** The statements of open work. Absent: none were noted. */
export const withStatements = { statements: z.array(startedStatement).exactOptional() }

/** A run has at most two statements at a time; those that have ended are forgotten in time. */
const mostKept = 4

/** The statements after one of them was noted. */
export function afterNote(before: readonly StartedStatement[] = [], noted: StartedStatement): StartedStatement[] {
  return [...before.filter(({ digest }) => digest !== noted.digest), noted].slice(-mostKept)
}

/** The statements of work, as a part of its next state. */
export function statementsOf(work: object & { statements?: StartedStatement[] }): { statements?: StartedStatement[] } {
  return work.statements === undefined ? {} : { statements: work.statements }
}
