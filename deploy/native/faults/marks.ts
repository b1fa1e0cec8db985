/** The prefix of the marks by which a write is found again. */
export const markPrefix = 'write-'

/** The mark of a run, which only its answer reveals. */
export const executionMark = (executionId: unknown): string => `execution ${executionId}`
