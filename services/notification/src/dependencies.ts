import type { ServicePorts } from '@assay/hosting/ports'

/** What the notification service is given. */
export interface NotificationServiceDeps extends ServicePorts {}
