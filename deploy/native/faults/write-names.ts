/** The prefix of names of writes, which identify them in the log. */
export const writePrefix = 'write-'

/** The name of a write that starts a run. The answer has the id. */
export const runWriteName = (executionId: unknown): string => `execution ${executionId}`
