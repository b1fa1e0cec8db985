import type { ServicePorts } from '@assay/hosting/ports'
import type { Networks, Sealer } from '@assay/service-kit'
import type { DeliveryPolicy } from './delivering/empty-outbox.ts'
import type { Lookup } from './sending/lookup.ts'
import type { MailSettings } from './sending/mail-sender.ts'

/** How notifications leave the process. */
export interface DeliverySettings extends DeliveryPolicy {
  /** Networks that are not public, and that messages may be sent to nevertheless. */
  allowed: Networks
  /** Absent: no e-mail. */
  mail: MailSettings | undefined
  /** The address of Assay for people, without a slash at the end; put before links. */
  publicUrl: string | undefined
  /** Additional authorities of receivers, PEM. */
  ca?: string | undefined
}

/** Dependencies of the notification service. */
export interface NotificationServiceDeps extends ServicePorts {
  /** Seals the secrets of channels. */
  sealer: Sealer
  delivery: DeliverySettings
  /** All addresses of a name. Default: the resolver of the system. */
  lookup?: Lookup
  /** 32 random bytes. */
  newSecret: () => Uint8Array
  /** From 0 to 1. */
  random: () => number
  /** How long after a row the same content counts as its repeat, in milliseconds; 0: never. */
  repeatWindowMs: number
}
