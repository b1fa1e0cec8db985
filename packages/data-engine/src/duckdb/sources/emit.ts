import type { Discovered } from '../../dataset.ts'

/** Takes what a crawl finds. A promise resolves when there is room for more: waiting for it keeps memory bounded. */
export type Emit = (found: Discovered) => unknown
