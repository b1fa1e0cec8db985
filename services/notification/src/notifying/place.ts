import { type Mute, type Muteable, mutes } from '../mute/mute.ts'
import { type Cause, groupOfCause, groupOfRow } from '../notification/aggregate.ts'
import type { HeldBy, NotificationContent } from '../notification/notification.ts'
import { isQuiet, type UserSettings } from '../settings/quiet-hours.ts'

/** Where a notification is stored: in the list, among the parts of a row, or among the held ones. */
export interface Place {
  partOf: string | null
  heldBy: HeldBy | null
}

/**
 * The place of one notification for one recipient. `repeats`: the key of the row that it repeats. `now`: epoch
 * milliseconds. Mutes are checked first, so that they also apply to parts of rows. Pure.
 */
export function placeFor({
  content,
  assetIds,
  cause,
  repeats,
  muted,
  settings,
  now,
}: {
  content: Pick<NotificationContent, 'kind' | 'severity' | 'policyId'>
  /** The asset and its ancestors. */
  assetIds: Muteable['assetIds']
  cause: Cause | undefined
  repeats: string | undefined
  muted: readonly Mute[]
  settings: UserSettings
  now: number
}): Place {
  const { kind, policyId, severity } = content
  const at = new Date(now).toISOString()
  if (muted.some((mute) => mutes(mute, { kind, policyId, assetIds }, at))) return { partOf: null, heldBy: 'MUTE' }
  if (cause !== undefined) return { partOf: groupOfCause(cause), heldBy: null }
  if (repeats !== undefined) return { partOf: groupOfRow(repeats), heldBy: null }
  return placeOfRow({ severity }, settings, now)
}

/** The place of a row of its own: held in quiet hours, unless it is critical. Pure. */
export function placeOfRow(
  { severity }: Pick<NotificationContent, 'severity'>,
  settings: UserSettings,
  now: number,
): Place {
  return { partOf: null, heldBy: severity !== 'CRITICAL' && isQuiet(settings, now) ? 'QUIET_HOURS' : null }
}
