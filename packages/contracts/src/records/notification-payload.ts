import { z } from 'zod'
import { withPlainTexts } from '../values/scalars.ts'

const flag = z.boolean().nullish()
/** FAILURE means ERROR. */
const notifyOn = z.enum(['ERROR', 'FAILURE', 'WARNING', 'SUCCESS', 'ALL'])

/**
 * `notificationChannels` of policies and assets. It acts as a rule: runs that end as `notifyOn` names go to the shared
 * channels `configuredNotificationGroupIds`. Fields that are not here are stored and returned without effect.
 */
export const notificationPayload = withPlainTexts(
  z.looseObject({
    /** False: nothing is sent. */
    alertsEnabled: flag,
    configuredNotificationGroupIds: z.array(z.int()).max(100).nullish(),
    /** Absent and empty: ERROR. */
    notifyOn: z.array(notifyOn).max(10).nullish(),
    notifyOnSuccess: flag,
    notifyOnWarning: flag,
    /** CRITICAL: errors of the policy are CRITICAL. */
    severity: z.enum(['LOW', 'MEDIUM', 'HIGH', 'CRITICAL']).nullish(),
  }),
)
export type NotificationPayload = z.infer<typeof notificationPayload>
