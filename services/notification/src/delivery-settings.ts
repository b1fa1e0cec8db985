import type { NotificationConfig } from './config.ts'
import { defaultRetries } from './delivering/retries.ts'
import type { DeliverySettings } from './dependencies.ts'

type Variables = Pick<
  NotificationConfig,
  | 'ASSAY_NOTIFY_ALLOWED_ADDRESSES'
  | 'ASSAY_NOTIFY_BAD_ROWS'
  | 'ASSAY_NOTIFY_RETRIES'
  | 'ASSAY_NOTIFY_PAUSE_AFTER'
  | 'ASSAY_SMTP_URL'
  | 'ASSAY_SMTP_FROM'
  | 'ASSAY_PUBLIC_URL'
>

/** The settings that the environment names. */
export function deliverySettingsOf(config: Variables): DeliverySettings {
  const { ASSAY_SMTP_URL: url, ASSAY_SMTP_FROM: from } = config
  return {
    allowed: config.ASSAY_NOTIFY_ALLOWED_ADDRESSES,
    retries: config.ASSAY_NOTIFY_RETRIES ?? defaultRetries,
    pauseAfter: config.ASSAY_NOTIFY_PAUSE_AFTER,
    mail: url ? { url, from } : undefined,
    badRows: config.ASSAY_NOTIFY_BAD_ROWS === 'on',
    publicUrl: config.ASSAY_PUBLIC_URL,
  }
}
