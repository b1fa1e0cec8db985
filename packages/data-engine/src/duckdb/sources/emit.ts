import type { Discovered } from '../../dataset.ts'

/** Receives what a crawl finds. A promise resolves once there is room for more; waiting for it bounds the memory. */
export type Emit = (found: Discovered) => unknown
