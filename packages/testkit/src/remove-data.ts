import { rm } from 'node:fs/promises'

/** Removes the folder of an Assay that has ended. Its engine processes may live, and write there, for a moment longer. */
export const removeData = (folder: string): Promise<void> =>
  rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
