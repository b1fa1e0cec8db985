import type { FirstBadRows, ServicePorts } from '@assay/hosting/ports'
import type { Networks, Sealer } from '@assay/service-kit'
import type { DeliveryPolicy } from './delivering/empty-outbox.ts'
import type { Lookup } from './sending/lookup.ts'
import type { MailSettings } from './sending/mail-sender.ts'

/** Settings for sending notifications to receivers outside of Assay. */
export interface DeliverySettings extends DeliveryPolicy {
  /** Private networks to which messages may be sent. */
  allowed: Networks
  /** If absent, no e-mail is sent. */
  mail: MailSettings | undefined
  /** The public address of Assay, which precedes links; no slash at the end. */
  publicUrl: string | undefined
  /** Additional authorities of receivers, PEM. */
  ca?: string | undefined
  /** Whether messages that people read show the first bad rows of a run. */
  badRows: boolean
}

/** Dependencies of the notification service. */
export interface NotificationServiceDeps extends ServicePorts {
  /** Seals the secrets of channels. */
  sealer: Sealer
  delivery: DeliverySettings
  /** Of the execution service, which has the rows. */
  firstBadRows: FirstBadRows
  /** All addresses of a name. Default: the resolver of the system. */
  lookup?: Lookup
  /** 32 random bytes. */
  newSecret: () => Uint8Array
  /** From 0 to 1. */
  random: () => number
  /** For this many milliseconds after a row, the same content repeats the row. With 0, nothing is a repeat. */
  repeatWindowMs: number
}
