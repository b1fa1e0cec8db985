import { describe, expect, it } from 'vitest'
import { decide, evolve, type SettingsCommand, type SettingsState } from './settings.ts'

const at = (time: string) => Date.parse(`2026-11-20T${time}Z`)
const quiet: SettingsState = {
  ...{ settingsId: 1, user: 'ann', timeZone: 'UTC', quietHours: { from: '22:00', to: '07:00' }, digestAt: '08:00' },
  ...{ due: '2026-11-20T07:00:00.000Z', digest: null },
}
const after = (state: SettingsState, ...commands: SettingsCommand[]) =>
  commands.reduce((before, command) => decide(command, before).reduce(evolve, before), state)
const held = (time: string) => ({
  type: 'ScheduleDigest' as const,
  heldAt: `2026-11-20T${time}Z`,
  now: at('07:00:05.000'),
})
const begin = { type: 'BeginDigest' as const, now: at('07:00:00.500') }
const finish = { type: 'FinishDigest' as const, digest: 'digest/1/2026-11-20T07:00:00.500Z', now: at('07:00:09.000') }

describe('a notification that is stored as held', () => {
  it('given that the digest at the end of its quiet hours has not begun, then nothing is scheduled', () => {
    expect(decide(held('06:59:59.900'), quiet)).toEqual([])
    expect(decide(held('06:59:59.900'), { ...quiet, quietHours: null, due: '2026-11-20T06:59:00.000Z' })).toEqual([])
    expect(decide(held('06:59:59.900'), null)).toEqual([])
  })

  it('given that the digest has begun or is written, then another one is due at the end of its quiet hours', () => {
    const due = '2026-11-20T07:00:00.000Z'
    expect(after(quiet, begin, finish)?.due).toBe('2026-11-21T07:00:00.000Z')
    expect(after(quiet, begin, finish, held('06:59:59.900'))?.due).toBe(due)
    expect(after(quiet, begin, held('06:59:59.900'), held('06:59:59.950'), finish)).toEqual({ ...quiet, due })
  })

  it('given settings under which it is not in quiet hours any more, then the digest is due at once', () => {
    const changed = { ...quiet, quietHours: { from: '23:00', to: '06:00' }, due: '2026-11-21T06:00:00.000Z' }
    expect(after(changed, held('06:30:00.000'))?.due).toBe('2026-11-20T06:30:00.000Z')
    expect(after({ ...quiet, quietHours: null, due: null }, held('06:30:00.000'))?.due).toBe('2026-11-20T06:30:00.000Z')
  })
})
