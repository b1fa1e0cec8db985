import { distributed, notifyVariables, sealingVariables, serviceUrl, serviceVariables } from '@assay/hosting'
import { z } from 'zod'

/** The environment of the notification service as a separate process. */
export const notificationConfig = z
  .object({
    ...serviceVariables,
    ...sealingVariables,
    ...notifyVariables,
    ASSAY_EXECUTION_URL: serviceUrl,
  })
  .superRefine(distributed)
export type NotificationConfig = z.output<typeof notificationConfig>
