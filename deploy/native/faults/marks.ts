/** What begins the texts by which a write is found again. */
export const markPrefix = 'write-'

/** The mark of a run, which is known from its answer only. */
export const executionMark = (executionId: unknown): string => `execution ${executionId}`
