import { busVariables, distributed, processVariables, storeVariables } from '@assay/hosting'
import { z } from 'zod'

/** The environment of the notification service as a separate process. */
export const notificationConfig = z
  .object({ ...processVariables, ...storeVariables, ...busVariables })
  .superRefine(distributed)
