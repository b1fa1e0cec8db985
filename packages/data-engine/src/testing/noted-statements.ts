import type { StartedStatement, StartedStatements } from '../started-statements.ts'

/** Statements of a test. `left`: what an earlier worker noted. */
export function notedStatements(left: readonly StartedStatement[] = []) {
  const remaining = new Set(left)
  const noted = new Map<string, StartedStatement>()
  let isOurs = true
  const statements: StartedStatements = {
    left: () => [...remaining],
    take: (statement) => void remaining.delete(statement),
    note: async (statement) => void noted.set(statement.digest, statement),
    isOurs: async () => isOurs,
  }
  return {
    statements,
    noted: () => [...noted.values()],
    /** Another worker takes over. */
    takeOver() {
      isOurs = false
      return [...noted.values()]
    },
  }
}
