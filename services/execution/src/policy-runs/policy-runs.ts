import { executionStatus, resultStatus } from '@assay/contracts'
import { AssayError } from '@assay/service-kit/errors'
import { type DueTime, dueAfterChange, dueTime } from '@assay/work'
import { z } from 'zod'
import {
  afterRun,
  afterSnooze,
  changed,
  type IncidentChange,
  type IncidentEvent,
  incident,
} from '../incidents/incident.ts'
import { type FollowedPolicy, followedPolicy } from './followed-policy.ts'
import { afterTrigger, isNew, isSame, type Trigger, trigger, triggered } from './triggers.ts'

/** The outcome of a run. Times are ISO 8601 UTC. */
const endedRun = z.object({
  executionId: z.int(),
  startedAt: z.string(),
  finishedAt: z.string(),
  executionStatus,
  resultStatus,
  policyName: z.string(),
  /** The tables of its sides. */
  assets: z.array(z.object({ id: z.int(), uid: z.string() })),
  /** Key of the version that it learned. */
  learned: z.string().exactOptional(),
  /** When the next run must start because the data becomes too old then. */
  deadline: z.string().exactOptional(),
  /** The run evaluated some items only, so the deadlines of the others stay. */
  isPartial: z.literal(true).exactOptional(),
})
export type EndedRun = z.infer<typeof endedRun>

const skippedRun = z.object({ nominalTime: z.string(), reason: z.string() })
export type SkippedRun = z.infer<typeof skippedRun>

/** For policies with deadlines: the next one, null if there is none. */
const watch = z.object({ deadline: z.string().nullable() })
export type Watch = z.infer<typeof watch>

/**
 * The runs of a policy: the open one, the last one, when the next one is due, and the incidents of its verdicts. One
 * stream per policy, so one of several concurrent starts wins, each due time is taken once, whatever the number of
 * schedulers, and the end of a run changes the incident in the same append, exactly once.
 */
export type PolicyRunsEvent =
  /** `dropped`: targets that it no longer has. */
  | {
      type: 'PolicyFollowed'
      data: { policy: FollowedPolicy; due: string | null; watch: Watch | null; dropped: string[] }
    }
  | { type: 'AssembliesFound'; data: { assemblyIds: number[] } }
  | { type: 'RunTriggered'; data: { trigger: Trigger } }
  | { type: 'RunOpened'; data: { executionId: number; at: string } & Due }
  /** `ended` is null if the start was abandoned. */
  | { type: 'RunEnded'; data: { executionId: number; at: string; ended?: EndedRun | null } }
  | { type: 'RunSkipped'; data: { scheduled: DueTime; reason: string } }
  | { type: 'TriggerSkipped'; data: { trigger: Trigger; reason: string } }
  | IncidentEvent
  | { type: 'DeadlineSkipped'; data: { deadline: string; reason: string } }

export const policyRuns = z.object({
  open: z
    .object({
      executionId: z.int(),
      at: z.string(),
      scheduled: dueTime.nullable(),
      trigger: trigger.nullable(),
      deadline: z.string().exactOptional(),
    })
    .nullable(),
  latest: endedRun.nullable(),
  policy: followedPolicy.nullable(),
  due: z.string().nullable(),
  triggered: triggered.nullable(),
  /** `null` if its type has no deadlines. */
  watch: watch.nullable(),
  /** Newest first. */
  skipped: z.array(skippedRun),
  /** Key of the version that its runs learned; `null` means none did. */
  learned: z.string().nullable(),
  /** The last run with the verdict SUCCESSFUL. */
  lastGood: z.int().nullable(),
  /** The latest incident; later changes of earlier ones are refused. */
  incident: incident.nullable(),
})
export type PolicyRuns = z.infer<typeof policyRuns>

export const noRuns: PolicyRuns = {
  open: null,
  latest: null,
  policy: null,
  due: null,
  triggered: null,
  watch: null,
  skipped: [],
  learned: null,
  lastGood: null,
  incident: null,
}
const skipsKept = 20

/** `at` is ISO 8601 UTC. */
export type PolicyRunsCommand =
  /** `check`: when a new version runs at the latest; absent if its type has no deadlines. */
  | { type: 'FollowPolicy'; policy: FollowedPolicy; at: string; check?: string }
  | { type: 'FindAssemblies'; assemblyIds: readonly number[] }
  | { type: 'TriggerRun'; trigger: Trigger }
  | ({ type: 'OpenRun'; executionId: number; at: string } & Due)
  | { type: 'EndRun'; executionId: number; at: string; ended: EndedRun | null }
  | { type: 'SkipRun'; scheduled: DueTime; reason: string }
  | { type: 'SkipTrigger'; trigger: Trigger; reason: string }
  | { type: 'ChangeIncident'; incidentId: number; change: IncidentChange; by: string; at: string }
  | { type: 'EndSnooze'; at: string }
  | { type: 'SkipDeadline'; deadline: string; reason: string }

/** The due time, the trigger or the passed deadline of a run that was not requested; at most one of them. */
export type Due = { scheduled?: DueTime; trigger?: Trigger; deadline?: string }

/** Refuses to open a run while another is open. Ending a run that is not the open one gives no events. */
export function decide(command: PolicyRunsCommand, state: PolicyRuns): PolicyRunsEvent[] {
  switch (command.type) {
    case 'FollowPolicy': {
      const { policy, at, check } = command
      if (state.policy !== null && state.policy.revision >= policy.revision) return []
      const before = { schedule: state.policy?.schedule, due: state.due }
      const dropped = state.policy?.targets.filter((target) => !policy.targets.includes(target)) ?? []
      const due = dueAfterChange(before, policy.schedule, at)
      const isSame = state.watch !== null && state.policy?.version === policy.version
      const watch = isSame ? state.watch : check === undefined ? null : { deadline: check }
      return [{ type: 'PolicyFollowed', data: { policy, due, watch, dropped } }]
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
      const { executionId, at, scheduled, trigger, deadline } = command
      if (state.open?.executionId === executionId) return []
      if (scheduled && state.due !== scheduled.due) throw alreadyTaken()
      if (trigger && !isDue(state, trigger)) throw alreadyTaken()
      if (deadline && state.watch?.deadline !== deadline) throw alreadyTaken()
      if (state.open) throw previousRunning(state.open.executionId)
      const why = {
        ...(scheduled ? { scheduled } : {}),
        ...(trigger ? { trigger } : {}),
        ...(deadline ? { deadline } : {}),
      }
      return [{ type: 'RunOpened', data: { executionId, at, ...why } }]
    }
    case 'EndRun': {
      const { executionId, at, ended } = command
      if (state.open?.executionId !== executionId) return []
      const others = ended === null ? abandonedSkip(state) : afterRun(state.incident, ended, state.lastGood)
      return [{ type: 'RunEnded', data: { executionId, at, ended } }, ...others]
    }
    case 'SkipRun': {
      const { scheduled, reason } = command
      return state.due === scheduled.due ? [{ type: 'RunSkipped', data: { scheduled, reason } }] : []
    }
    case 'SkipTrigger': {
      const { trigger, reason } = command
      return isDue(state, trigger) ? [{ type: 'TriggerSkipped', data: { trigger, reason } }] : []
    }
    case 'ChangeIncident': {
      const { incidentId, change } = command
      if (state.incident?.id !== incidentId) throw followed(incidentId)
      return changed(state.incident, change, command)
    }
    case 'EndSnooze':
      return afterSnooze(state.incident, command.at)
    case 'SkipDeadline': {
      const { deadline, reason } = command
      // An open run replaces the run at the deadline, and its end sets the next deadline.
      return state.open === null && state.watch?.deadline === deadline
        ? [{ type: 'DeadlineSkipped', data: { deadline, reason } }]
        : []
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
      const { policy, due, watch } = event.data
      return { ...state, policy, due, watch, triggered: triggeredOn(state, policy) }
    }
    case 'AssembliesFound':
      return state.policy === null
        ? state
        : { ...state, policy: { ...state.policy, assemblyIds: event.data.assemblyIds } }
    case 'RunTriggered':
      return { ...state, triggered: afterTrigger(state.triggered, event.data.trigger) }
    case 'RunOpened': {
      const { executionId, at, scheduled = null, trigger = null, deadline } = event.data
      const open = { executionId, at, scheduled, trigger, ...(deadline ? { deadline } : {}) }
      const due = scheduled ? scheduled.next : state.due
      const watch = deadline === undefined ? state.watch : { deadline: null }
      return { ...state, open, due, watch, triggered: trigger ? taken(state, trigger) : state.triggered }
    }
    case 'RunEnded': {
      const { executionId, ended } = event.data
      if (state.open?.executionId !== executionId) return state
      if (ended) {
        const lastGood = ended.resultStatus === 'SUCCESSFUL' ? executionId : state.lastGood
        const learned = ended.learned ?? state.learned
        return { ...state, open: null, latest: ended, learned, watch: watchAfter(state, ended), lastGood }
      }
      const watch = watchAgain(state)
      return { ...state, open: null, due: dueAgain(state), watch, triggered: triggeredAgain(state) }
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
    case 'IncidentOpened':
    case 'IncidentContinued':
    case 'IncidentWorsened':
    case 'IncidentRecovered':
    case 'IncidentAcknowledged':
    case 'IncidentAcknowledgementWithdrawn':
    case 'IncidentSnoozed':
    case 'IncidentSnoozeEnded':
    case 'IncidentAssigned':
    case 'IncidentClosed':
      return { ...state, incident: event.data.incident }
    case 'DeadlineSkipped': {
      const { deadline, reason } = event.data
      const skipped = [{ nominalTime: deadline, reason }, ...state.skipped].slice(0, skipsKept)
      return { ...state, watch: { deadline: null }, skipped }
    }
    default:
      return event satisfies never
  }
}

/** If a run at a deadline could not be executed, its policy runs again after this time. */
const retryMs = 3_600_000

/** If a run could not be executed, a deadline that has not passed yet stays. */
function watchAfter({ open, watch }: PolicyRuns, ended: EndedRun): Watch | null {
  const { executionStatus, finishedAt, deadline, isPartial } = ended
  if (watch === null) return null
  if (executionStatus !== 'SUCCESSFUL') {
    if (open?.deadline === undefined || watch.deadline !== null) return watch
    return { deadline: new Date(Date.parse(finishedAt) + retryMs).toISOString() }
  }
  if (isPartial !== true) return { deadline: deadline ?? null }
  const [earliest = null] = [watch.deadline, deadline ?? null].filter((one) => one !== null).sort()
  return { deadline: earliest }
}

/** If the start of a run after a deadline was abandoned, the run is due again, unless the policy was changed meanwhile. */
function watchAgain({ open, watch }: PolicyRuns): Watch | null {
  return open?.deadline !== undefined && watch?.deadline === null ? { deadline: open.deadline } : watch
}

/**
 * If the start of a scheduled run was abandoned, the run is due again, unless a later due time was skipped or the
 * schedule was changed meanwhile.
 */
function dueAgain({ open, due, policy }: PolicyRuns): string | null {
  const scheduled = open?.scheduled
  return scheduled && policy?.schedule && due === scheduled.next ? scheduled.due : due
}

/** The skip of an abandoned run that is not due again: each due time has a run or a skip. */
function abandonedSkip(state: PolicyRuns): PolicyRunsEvent[] {
  const scheduled = state.open?.scheduled
  if (!scheduled || dueAgain(state) === scheduled.due) return []
  const reason = 'The start of this run was interrupted, and a later time was due before it could be repeated.'
  return [{ type: 'RunSkipped', data: { scheduled: { ...scheduled, next: state.due }, reason } }]
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

function followed(incidentId: number): AssayError {
  return new AssayError(
    'unprocessable',
    `Incident ${incidentId} was followed by a later incident of its policy and can no longer be changed.`,
  )
}

function alreadyTaken(): AssayError {
  return new AssayError('taken', 'The run that was due at this time was already started.')
}
