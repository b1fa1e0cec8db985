import { describe, expect, it } from 'vitest'
import { namesOf } from '../names/follower.ts'
import { decide, type PolicyCommand } from './decide.ts'
import { defaultDefinition } from './default-definition.ts'
import { type Definition, defaultConfiguration } from './definition.ts'
import { absent, evolve, type PolicyEvent } from './policy.ts'

const stamp = { at: '2026-11-20T10:00:00.000Z', by: 'ann' }
const definition: Definition = defaultDefinition('DATA_QUALITY', 'orders', {
  assetId: 11,
  uid: 'sales.orders.csv',
  marker: null,
})
const renamed = { ...definition, name: 'renamed' }
const created: PolicyEvent = { type: 'PolicyCreated', data: { policyId: 1, definition, ...stamp } }
const changed: PolicyEvent = { type: 'PolicyDefinitionChanged', data: { definition: renamed, ...stamp } }
const disabled: PolicyEvent = { type: 'PolicyDisabled', data: { ...stamp, reason: null } }
const scheduled: PolicyEvent = {
  type: 'PolicyScheduleSet',
  data: { scheduled: true, schedule: '0 6 * * *', timeZone: 'Europe/Berlin', scheduleExecutionType: null, ...stamp },
}
const archived: PolicyEvent = { type: 'PolicyArchived', data: { ...stamp, reason: 'old' } }
const unarchived: PolicyEvent = { type: 'PolicyUnarchived', data: stamp }

const ofSchema: PolicyEvent = {
  type: 'PolicyCreated',
  data: {
    policyId: 1,
    definition: defaultDefinition('SCHEMA_DRIFT', 'columns', {
      assetId: 11,
      uid: 'sales.orders.csv',
      marker: { type: 'FileEventMarkerConfig' },
    }),
    ...stamp,
  },
}

const given = (...events: PolicyEvent[]) => events.reduce(evolve, absent)
const when = (events: PolicyEvent[], command: PolicyCommand) => decide(command, given(...events))

describe('given events, when a command is decided, then these events follow', () => {
  it.each<[string, PolicyEvent[], PolicyCommand, readonly PolicyEvent[]]>([
    ['create', [], { kind: 'CreatePolicy', policyId: 1, definition, ...stamp }, [created]],
    ['change', [created], { kind: 'ChangeDefinition', definition: renamed, ...stamp }, [changed]],
    ['change nothing', [created], { kind: 'ChangeDefinition', definition: { ...definition }, ...stamp }, []],
    ['disable', [created], { kind: 'DisablePolicy', reason: null, ...stamp }, [disabled]],
    ['disable again', [created, disabled], { kind: 'DisablePolicy', reason: null, ...stamp }, []],
    ['enable an enabled policy', [created], { kind: 'EnablePolicy', ...stamp }, []],
    ['enable', [created, disabled], { kind: 'EnablePolicy', ...stamp }, [{ type: 'PolicyEnabled', data: stamp }]],
    [
      'the same configuration',
      [created],
      { kind: 'SetConfiguration', configuration: { ...defaultConfiguration }, ...stamp },
      [],
    ],
    [
      'a schedule',
      [created],
      { kind: 'SetSchedule', change: { schedule: '0 6 * * *' }, ...stamp },
      [
        {
          type: 'PolicyScheduleSet',
          data: { scheduled: false, schedule: '0 6 * * *', timeZone: 'UTC', scheduleExecutionType: null, ...stamp },
        },
      ],
    ],
    [
      'the same schedule again, which counts',
      [created, scheduled],
      { kind: 'SetSchedule', change: { scheduled: true }, ...stamp },
      [scheduled],
    ],
    ['archive', [created], { kind: 'ArchivePolicy', reason: 'old', ...stamp }, [archived]],
    ['archive again', [created, archived], { kind: 'ArchivePolicy', reason: 'other', ...stamp }, []],
    ['unarchive', [created, archived], { kind: 'UnarchivePolicy', ...stamp }, [unarchived]],
    ['unarchive a policy that is not archived', [created], { kind: 'UnarchivePolicy', ...stamp }, []],
  ])('%s', (_, events, command, expected) => {
    expect(when(events, command)).toEqual(expected)
  })

  it.each<[string, PolicyEvent[], PolicyCommand, string]>([
    ['changing a missing policy', [], { kind: 'ChangeDefinition', definition, ...stamp }, 'not-found'],
    ['archiving a missing policy', [], { kind: 'ArchivePolicy', reason: null, ...stamp }, 'not-found'],
    ['creating twice', [created], { kind: 'CreatePolicy', policyId: 1, definition, ...stamp }, 'taken'],
    [
      'changing an archived policy',
      [created, archived],
      { kind: 'ChangeDefinition', definition, ...stamp },
      'unprocessable',
    ],
    [
      'scheduling without cron',
      [created],
      { kind: 'SetSchedule', change: { scheduled: true }, ...stamp },
      'unprocessable',
    ],
    [
      'scheduling INCREMENTAL runs of schema drift',
      [ofSchema],
      { kind: 'SetSchedule', change: { scheduleExecutionType: 'INCREMENTAL' }, ...stamp },
      'unprocessable',
    ],
    [
      'scheduling an archived policy',
      [created, archived],
      { kind: 'SetSchedule', change: { scheduled: false }, ...stamp },
      'unprocessable',
    ],
    ['enabling an archived policy', [created, archived], { kind: 'EnablePolicy', ...stamp }, 'unprocessable'],
  ])('%s is refused', (_, events, command, code) => {
    expect(() => when(events, command)).toThrow(expect.objectContaining({ code }))
  })
})

describe('versions', () => {
  it('definition, schedule, enabling, disabling and configuration add a version; archiving does not', () => {
    const configured: PolicyEvent = {
      type: 'PolicyConfigurationSet',
      data: { configuration: { ...defaultConfiguration, prefix: 'x' }, ...stamp },
    }
    const enabled: PolicyEvent = { type: 'PolicyEnabled', data: stamp }
    const all = [created, changed, disabled, enabled, configured, scheduled, archived, unarchived]
    const versions = all
      .map((_, index) => given(...all.slice(0, index + 1)))
      .map((state) => ('version' in state ? state.version : 0))
    expect(versions).toEqual([1, 2, 3, 4, 5, 6, 6, 6])
    expect(given(created, disabled)).toMatchObject({ definition: { enabled: false } })
    expect(given(created, archived, unarchived)).toMatchObject({ status: 'active' })
    expect(given(created, archived, unarchived)).not.toHaveProperty('archivalReason')
  })
})

describe('names', () => {
  it('are read from the log', () => {
    expect(namesOf([created])).toEqual({ policyId: 1, current: 'orders', past: [] })
    expect(namesOf([created, changed])).toEqual({ policyId: 1, current: 'renamed', past: ['orders'] })
    expect(namesOf([created, archived])).toEqual({ policyId: 1, current: null, past: ['orders'] })
  })
})
