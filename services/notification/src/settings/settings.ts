import { z } from 'zod'
import { defaultSettings, heldUntil, isQuiet, quietUntil, type UserSettings, userSettings } from './quiet-hours.ts'

/** The settings of a user. Times are ISO 8601 UTC. */
export const storedSettings = userSettings.extend({
  settingsId: z.int(),
  user: z.string(),
  /** When the next digest of held notifications is due; null without quiet hours. */
  due: z.string().nullable(),
  /** The id of the digest that is being written. After a crash, the same digest is continued. */
  digest: z.string().nullable(),
  /** When another digest is due after it, for a notification that it may have missed. */
  missedDue: z.string().optional(),
})
export type Settings = z.infer<typeof storedSettings>
export type SettingsState = Settings | null

export type SettingsEvent =
  | {
      type: 'NotificationSettingsChanged'
      data: UserSettings & {
        settingsId: number
        user: string
        at: string
        due: string
        before: UserSettings
      }
    }
  /** A held notification would have waited for longer than its quiet hours. */
  | { type: 'DigestScheduled'; data: { at: string; due: string } }
  | { type: 'DigestBegun'; data: { at: string; digest: string } }
  | { type: 'DigestWritten'; data: { at: string; next: string | null } }

export function evolve(state: SettingsState, event: SettingsEvent): SettingsState {
  switch (event.type) {
    case 'NotificationSettingsChanged': {
      const { at: _, before: __, ...settings } = event.data
      return { digest: null, ...state, ...settings }
    }
    case 'DigestScheduled': {
      const { due } = event.data
      return state && (state.digest === null ? { ...state, due } : { ...state, missedDue: due })
    }
    case 'DigestBegun':
      return state && { ...state, digest: event.data.digest }
    case 'DigestWritten': {
      if (state === null) return state
      const { missedDue: _, ...rest } = state
      return { ...rest, digest: null, due: event.data.next }
    }
    default:
      return event satisfies never
  }
}

/** `now`: epoch milliseconds. `settingsId` is used only if the user had no settings. Absent fields stay. */
export type SettingsCommand = { now: number } & (
  | {
      type: 'ChangeSettings'
      settingsId: number
      user: string
      change: { [Name in keyof UserSettings]?: UserSettings[Name] | undefined }
    }
  /** A notification of `heldAt` (ISO 8601 UTC) was stored, and is held. Schedules a digest if none that is due takes it. */
  | { type: 'ScheduleDigest'; heldAt: string }
  /** Does nothing before the end of the quiet hours. */
  | { type: 'BeginDigest' }
  /** `digest`: that of the preceding `BeginDigest`. */
  | { type: 'FinishDigest'; digest: string }
)

const iso = (time: number) => new Date(time).toISOString()

/**
 * When a digest must be scheduled for a notification that is held since `heldAt` (ISO 8601 UTC); undefined if one that is
 * due takes it. A digest that has begun may have missed it, also because clocks of processes differ. Pure.
 */
export function missedSince(state: Settings, heldAt: string): string | undefined {
  const due = heldUntil(state, Date.parse(heldAt))
  const planned = state.digest === null ? state.due : state.missedDue
  return planned == null || planned > due ? due : undefined
}

export function decide(command: SettingsCommand, state: SettingsState): SettingsEvent[] {
  const { now } = command
  const at = iso(now)
  switch (command.type) {
    case 'ChangeSettings': {
      const { user, change } = command
      const { timeZone, quietHours, digestAt } = state ?? defaultSettings
      const before = { timeZone, quietHours, digestAt }
      const after = {
        timeZone: change.timeZone ?? timeZone,
        quietHours: change.quietHours === undefined ? quietHours : change.quietHours,
        digestAt: change.digestAt ?? digestAt,
      }
      if (JSON.stringify(before) === JSON.stringify(after)) return []
      const settingsId = state?.settingsId ?? command.settingsId
      // Due immediately, because the changed quiet hours may have ended already.
      return [{ type: 'NotificationSettingsChanged', data: { settingsId, user, ...after, at, due: at, before } }]
    }
    case 'ScheduleDigest': {
      const due = state === null ? undefined : missedSince(state, command.heldAt)
      return due === undefined ? [] : [{ type: 'DigestScheduled', data: { at, due } }]
    }
    case 'BeginDigest': {
      if (state === null || state.due === null || Date.parse(state.due) > now || state.digest !== null) return []
      return isQuiet(state, now)
        ? [{ type: 'DigestWritten', data: { at, next: quietUntil(state, now) } }]
        : [{ type: 'DigestBegun', data: { at, digest: `digest/${state.settingsId}/${at}` } }]
    }
    case 'FinishDigest':
      return state === null || state.digest !== command.digest
        ? []
        : [{ type: 'DigestWritten', data: { at, next: state.missedDue ?? quietUntil(state, now) } }]
    default:
      return command satisfies never
  }
}
