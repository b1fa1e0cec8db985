import type { Discovered } from '../../dataset.ts'

/**
 * Receives the findings of a crawl. The promise resolves once there is room for more; waiting for it bounds the memory.
 */
export type Emit = (found: Discovered) => unknown
