import {
  busVariables,
  distributed,
  notifyVariables,
  processVariables,
  sealingVariables,
  serviceUrl,
  storeVariables,
} from '@assay/hosting'
import { z } from 'zod'

/** The environment of the notification service as a separate process. */
export const notificationConfig = z
  .object({
    ...processVariables,
    ...storeVariables,
    ...busVariables,
    ...sealingVariables,
    ...notifyVariables,
    ASSAY_EXECUTION_URL: serviceUrl,
  })
  .superRefine(distributed)
export type NotificationConfig = z.output<typeof notificationConfig>
