import { executionStatus, resultStatus } from '@assay/contracts'
import { AssayError } from '@assay/service-kit/errors'
import { type DueTime, dueAfterChange, dueTime } from '@assay/work'
import { z } from 'zod'
import { type FollowedPolicy, followedPolicy } from './followed-policy.ts'
import { isNew, isSame, type Trigger, trigger, triggered } from './triggers.ts'

/** The outcome of a run. Times are ISO 8601 UTC. */
const endedRun = z.object({
  executionId: z.int(),
  startedAt: z.string(),
  finishedAt: z.string(),
  executionStatus,
  resultStatus,
  /** Key of the version that it learned. */
  learned: z.string().exactOptional(),
})
export type EndedRun = z.infer<typeof endedRun>

const skippedRun = z.object({ nominalTime: z.string(), reason: z.string() })
export type SkippedRun = z.infer<typeof skippedRun>

/**
 * The runs of a policy: the open one, the last one, and when the next one is due. One stream per policy, so one of
 * several concurrent starts wins, and each due time is taken once, whatever the number of schedulers.
 */
export type PolicyRunsEvent =
  /** `dropped`: targets that it no longer has. */
  | { type: 'PolicyFollowed'; data: { policy: FollowedPolicy; due: string | null; dropped: string[] } }
  | { type: 'AssembliesFound'; data: { assemblyIds: number[] } }
  | { type: 'RunTriggered'; data: { trigger: Trigger } }
  | { type: 'RunOpened'; data: { executionId: number; at: string; scheduled?: DueTime; trigger?: Trigger } }
  /** `ended` is null if the start was abandoned. */
  | { type: 'RunEnded'; data: { executionId: number; at: string; ended?: EndedRun | null } }
  | { type: 'RunSkipped'; data: { scheduled: DueTime; reason: string } }
  | { type: 'TriggerSkipped'; data: { trigger: Trigger; reason: string } }

export const policyRuns = z.object({
  open: z
    .object({ executionId: z.int(), at: z.string(), scheduled: dueTime.nullable(), trigger: trigger.nullable() })
    .nullable(),
  latest: endedRun.nullable(),
  policy: followedPolicy.nullable(),
  due: z.string().nullable(),
  triggered: triggered.nullable(),
  /** Newest first. */
  skipped: z.array(skippedRun),
  /** Key of the version that its runs learned; `null` means none did. */
  learned: z.string().nullable(),
})
export type PolicyRuns = z.infer<typeof policyRuns>

export const noRuns: PolicyRuns = {
  open: null,
  latest: null,
  policy: null,
  due: null,
  triggered: null,
  skipped: [],
  learned: null,
}
const skipsKept = 20

/** `at` is ISO 8601 UTC. */
export type PolicyRunsCommand =
  | { type: 'FollowPolicy'; policy: FollowedPolicy; at: string }
  | { type: 'FindAssemblies'; assemblyIds: readonly number[] }
  | { type: 'TriggerRun'; trigger: Trigger }
  | ({ type: 'OpenRun'; executionId: number; at: string } & Due)
  | { type: 'EndRun'; executionId: number; at: string; ended: EndedRun | null }
  | { type: 'SkipRun'; scheduled: DueTime; reason: string }
  | { type: 'SkipTrigger'; trigger: Trigger; reason: string }

/** The due time or the trigger of a run that was not requested; at most one of both. */
export interface Due {
  scheduled?: DueTime | undefined
  trigger?: Trigger | undefined
}

/** Refuses to open a run while another is open. Ending a run that is not the open one gives no events. */
export function decide(command: PolicyRunsCommand, state: PolicyRuns): PolicyRunsEvent[] {
  switch (command.type) {
    case 'FollowPolicy': {
      const { policy, at } = command
      if (state.policy !== null && state.policy.revision >= policy.revision) return []
      const before = { schedule: state.policy?.schedule, due: state.due }
      const dropped = state.policy?.targets.filter((target) => !policy.targets.includes(target)) ?? []
      return [{ type: 'PolicyFollowed', data: { policy, due: dueAfterChange(before, policy.schedule, at), dropped } }]
    }
    case 'FindAssemblies': {
      const known = state.policy?.assemblyIds ?? []
      const found = command.assemblyIds.filter((id) => !known.includes(id))
      if (state.policy === null || found.length === 0) return []
      return [{ type: 'AssembliesFound', data: { assemblyIds: [...known, ...found] } }]
    }
    case 'TriggerRun': {
      const { trigger } = command
      const isWatched = state.policy?.enabled === true && !state.policy.archived
      return isWatched && isNew(state.triggered, trigger) ? [{ type: 'RunTriggered', data: { trigger } }] : []
    }
    case 'OpenRun': {
      const { executionId, at, scheduled, trigger } = command
      if (state.open?.executionId === executionId) return []
      if (scheduled && state.due !== scheduled.due) throw alreadyTaken()
      if (trigger && !isDue(state, trigger)) throw alreadyTaken()
      if (state.open) throw previousRunning(state.open.executionId)
      const why = { ...(scheduled ? { scheduled } : {}), ...(trigger ? { trigger } : {}) }
      return [{ type: 'RunOpened', data: { executionId, at, ...why } }]
    }
    case 'EndRun': {
      const { executionId, at, ended } = command
      return state.open?.executionId === executionId ? [{ type: 'RunEnded', data: { executionId, at, ended } }] : []
    }
    case 'SkipRun': {
      const { scheduled, reason } = command
      return state.due === scheduled.due ? [{ type: 'RunSkipped', data: { scheduled, reason } }] : []
    }
    case 'SkipTrigger': {
      const { trigger, reason } = command
      return isDue(state, trigger) ? [{ type: 'TriggerSkipped', data: { trigger, reason } }] : []
    }
    default:
      return command satisfies never
  }
}

const isDue = ({ triggered }: PolicyRuns, trigger: Trigger) =>
  triggered?.isDue === true && isSame(triggered.trigger, trigger)

const taken = ({ triggered }: PolicyRuns, trigger: Trigger) =>
  triggered !== null && isSame(triggered.trigger, trigger) ? { ...triggered, isDue: false } : triggered

/** A trigger is void once the policy no longer targets its table. */
function triggeredOn({ triggered }: PolicyRuns, { targets }: FollowedPolicy): PolicyRuns['triggered'] {
  if (triggered?.isDue !== true || targets.includes(String(triggered.trigger.assetId))) return triggered
  return { ...triggered, isDue: false }
}

export function evolve(state: PolicyRuns, event: PolicyRunsEvent): PolicyRuns {
  switch (event.type) {
    case 'PolicyFollowed': {
      const { policy, due } = event.data
      return { ...state, policy, due, triggered: triggeredOn(state, policy) }
    }
    case 'AssembliesFound':
      return state.policy === null
        ? state
        : { ...state, policy: { ...state.policy, assemblyIds: event.data.assemblyIds } }
    case 'RunTriggered':
      return { ...state, triggered: { trigger: event.data.trigger, isDue: true } }
    case 'RunOpened': {
      const { executionId, at, scheduled, trigger } = event.data
      const open = { executionId, at, scheduled: scheduled ?? null, trigger: trigger ?? null }
      const due = scheduled ? scheduled.next : state.due
      return { ...state, open, due, triggered: trigger ? taken(state, trigger) : state.triggered }
    }
    case 'RunEnded': {
      const { executionId, ended } = event.data
      if (state.open?.executionId !== executionId) return state
      if (ended) return { ...state, open: null, latest: ended, learned: ended.learned ?? state.learned }
      return { ...state, open: null, due: dueAgain(state), triggered: triggeredAgain(state) }
    }
    case 'RunSkipped': {
      const { scheduled, reason } = event.data
      const skipped = [{ nominalTime: scheduled.nominal, reason }, ...state.skipped].slice(0, skipsKept)
      return { ...state, due: scheduled.next, skipped }
    }
    case 'TriggerSkipped': {
      const { trigger, reason } = event.data
      const skipped = [{ nominalTime: trigger.at, reason }, ...state.skipped].slice(0, skipsKept)
      return { ...state, triggered: taken(state, trigger), skipped }
    }
    default:
      return event satisfies never
  }
}

/** If the start of a scheduled run was abandoned, the run is due again, unless the schedule was changed meanwhile. */
function dueAgain({ open, due, policy }: PolicyRuns): string | null {
  const scheduled = open?.scheduled
  return scheduled && policy?.schedule && due === scheduled.next ? scheduled.due : due
}

/** If the start of a triggered run was abandoned, the run is due again, unless a later crawl triggered another run. */
function triggeredAgain({ open, triggered }: PolicyRuns): PolicyRuns['triggered'] {
  const isOfOpen = triggered !== null && open?.trigger != null && isSame(open.trigger, triggered.trigger)
  return isOfOpen ? { ...triggered, isDue: true } : triggered
}

/** The refusal of a start while a run is open. */
export function previousRunning(executionId: number): AssayError {
  return new AssayError(
    'unprocessable',
    `The previous execution (${executionId}) of this policy has not completed; wait for its end or cancel it.`,
  )
}

function alreadyTaken(): AssayError {
  return new AssayError('taken', 'The run that was due at this time was already started.')
}
