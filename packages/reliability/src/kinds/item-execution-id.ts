/** Must exceed the maximum number of items. */
const idsPerExecution = 1000

/** The id of an item's execution: the run's id times 1,000, plus the item's index from 1. Pure. */
export const itemExecutionId = (executionId: number, index: number): number => executionId * idsPerExecution + index + 1
