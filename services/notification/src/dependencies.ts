import type { ServicePorts } from '@assay/hosting/ports'

/** Dependencies of the notification service. */
export interface NotificationServiceDeps extends ServicePorts {}
