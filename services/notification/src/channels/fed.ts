import type { ChannelType, NotificationChannel } from '@assay/contracts'
import { AssayError } from '@assay/service-kit/errors'

/** Throws `unprocessable` for settings that are not supported yet. */
export function assertFed(of: {
  type: ChannelType
  shared?: boolean | null | undefined
  digest?: NotificationChannel['digest'] | null | undefined
}): void {
  const { type, shared, digest } = of
  const refuse = (problem: string) => {
    throw new AssayError('unprocessable', problem)
  }
  if (type === 'PAGERDUTY' || type === 'OPSGENIE')
    refuse(`type: incidents are not sent to ${type} yet. Use WEBHOOK, SLACK, TEAMS or EMAIL.`)
  if (shared === true) refuse('shared: nothing is sent to shared channels yet. Leave it out, or send false.')
  if (digest === 'HOURLY' || digest === 'DAILY')
    refuse('digest: notifications are not collected yet. Leave it out, or send NONE.')
}
