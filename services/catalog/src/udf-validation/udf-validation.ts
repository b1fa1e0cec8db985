import {
  afterClaim,
  afterRelease,
  afterRenewal,
  type ClaimGranted,
  type ClaimRequest,
  decideClaim,
  holds,
  newWork,
  type OpenWork,
} from '@assay/work'
import type { TemplateDefinition, TemplateVariable } from '../udf-template/udf-template.ts'

/** The input of a validation, stored so that another process can take it over. */
export type ValidationTask = {
  definition: Pick<TemplateDefinition, 'code' | 'udfType' | 'udfDataType'>
  variables: TemplateVariable[]
  /** `null` means test data. */
  assetId: number | null
  /** Empty means all columns. */
  selectedColumns: string[]
  /** Columns that the requester may not see: they are left out. */
  hiddenColumns: string[]
  /** For a view: the tables that it read then. */
  sourceIds?: number[]
}
export type UdfValidationRequested = {
  type: 'UdfValidationRequested'
  data: {
    requestId: string
    udfId: number
    at: string
    by: string
    task: ValidationTask
    /** Key of the artifact with the test data; `null` means the rows come from an asset. */
    testData: string | null
    /** The result can have protected values. */
    showsProtected: boolean
  }
}
export type UdfValidationClaimed = { type: 'UdfValidationClaimed'; data: Of & ClaimGranted }
export type UdfValidationRenewed = { type: 'UdfValidationRenewed'; data: Of & { fence: number; until: string } }
/** The worker stopped. */
export type UdfValidationReleased = { type: 'UdfValidationReleased'; data: Of & { fence: number } }
/** `artifact`: the key of the artifact with the rows. */
export type UdfValidationSucceeded = { type: 'UdfValidationSucceeded'; data: Of & { artifact: string } }
export type UdfValidationFailed = { type: 'UdfValidationFailed'; data: Of & { error: string } }
/** The retention of the validation has expired. */
export type UdfValidationRemoved = { type: 'UdfValidationRemoved'; data: Of }
type Of = { requestId: string; udfId: number; at: string }
export type UdfValidationEvent =
  | UdfValidationRequested
  | UdfValidationClaimed
  | UdfValidationRenewed
  | UdfValidationReleased
  | UdfValidationSucceeded
  | UdfValidationFailed
  | UdfValidationRemoved

export type KnownValidation = {
  status: 'open' | 'successful' | 'failed'
  /** `null` means the validation has ended. */
  work: OpenWork | null
  requestId: string
  udfId: number
  task: ValidationTask
  testData: string | null
  showsProtected: boolean
  /** `null` means there is no result. */
  artifact: string | null
  error: string | null
  requestedAt: string
}
export type UdfValidationState = { status: 'absent' } | { status: 'removed'; requestId: string } | KnownValidation

type RequestValidation = { type: 'RequestValidation' } & UdfValidationRequested['data']
type ClaimValidation = { type: 'ClaimValidation' } & ClaimRequest
type OfWorker = { at: string; fence: number }
type RenewValidation = { type: 'RenewValidation'; until: string } & OfWorker
type ReleaseValidation = { type: 'ReleaseValidation' } & OfWorker
type SucceedValidation = { type: 'SucceedValidation'; artifact: string } & OfWorker
type FailValidation = { type: 'FailValidation'; error: string } & OfWorker
/** Has an effect only while no worker has the validation. */
type ExpireValidation = { type: 'ExpireValidation'; at: string; error: string }
/** Drops the validation if it has ended and was requested before `requestedBefore`. */
type RemoveValidation = { type: 'RemoveValidation'; at: string; requestedBefore: string }
export type UdfValidationCommand =
  | RequestValidation
  | ClaimValidation
  | RenewValidation
  | ReleaseValidation
  | SucceedValidation
  | FailValidation
  | ExpireValidation
  | RemoveValidation

export const initialUdfValidation: UdfValidationState = { status: 'absent' }

/** The state after an event. */
export function evolveUdfValidation(state: UdfValidationState, event: UdfValidationEvent): UdfValidationState {
  if (event.type === 'UdfValidationRequested') {
    const { at: requestedAt, by: _, ...requested } = event.data
    return { ...requested, status: 'open', work: newWork, artifact: null, error: null, requestedAt }
  }
  if (state.status === 'absent' || state.status === 'removed') return state
  switch (event.type) {
    case 'UdfValidationClaimed':
      return { ...state, work: afterClaim(state.work ?? newWork, event.data) }
    case 'UdfValidationRenewed':
      return state.work?.status === 'running' ? { ...state, work: afterRenewal(state.work, event.data) } : state
    case 'UdfValidationReleased':
      return state.work?.status === 'running' ? { ...state, work: afterRelease(state.work) } : state
    case 'UdfValidationSucceeded':
      return { ...state, status: 'successful', work: null, artifact: event.data.artifact }
    case 'UdfValidationFailed':
      return { ...state, status: 'failed', work: null, error: event.data.error }
    case 'UdfValidationRemoved':
      return { status: 'removed', requestId: state.requestId }
    default:
      return event satisfies never
  }
}

/** The events of a command. Commands of a worker that has lost its claim have no effect. */
export function decideUdfValidation(command: UdfValidationCommand, state: UdfValidationState): UdfValidationEvent[] {
  if (command.type === 'RequestValidation') {
    const { type: _, ...data } = command
    return state.status === 'absent' ? [{ type: 'UdfValidationRequested', data }] : []
  }
  if (state.status === 'absent' || state.status === 'removed') return []
  if (command.type === 'RemoveValidation') {
    const { requestId, udfId, status, requestedAt } = state
    const isOver = status !== 'open' && requestedAt < command.requestedBefore
    return isOver ? [{ type: 'UdfValidationRemoved', data: { requestId, udfId, at: command.at } }] : []
  }
  return state.status === 'open' ? decideOpen(command, state) : []
}

function decideOpen(
  command: Exclude<UdfValidationCommand, RequestValidation | RemoveValidation>,
  state: KnownValidation,
): UdfValidationEvent[] {
  const { type, at } = command
  const of = { requestId: state.requestId, udfId: state.udfId, at }
  const work = state.work ?? undefined
  const failed = (error: string): UdfValidationEvent[] => [{ type: 'UdfValidationFailed', data: { ...of, error } }]
  if (type === 'ClaimValidation') {
    const granted = decideClaim(work, command)
    if (granted === 'taken') return []
    if (granted === 'died') return failed('The validation ended unexpectedly three times.')
    return [{ type: 'UdfValidationClaimed', data: { ...of, ...granted } }]
  }
  if (type === 'ExpireValidation') return work?.status === 'waiting' ? failed(command.error) : []
  const { fence } = command
  if (!holds(work, fence)) return []
  switch (type) {
    case 'RenewValidation':
      return [{ type: 'UdfValidationRenewed', data: { ...of, fence, until: command.until } }]
    case 'ReleaseValidation':
      return [{ type: 'UdfValidationReleased', data: { ...of, fence } }]
    case 'SucceedValidation':
      return [{ type: 'UdfValidationSucceeded', data: { ...of, artifact: command.artifact } }]
    case 'FailValidation':
      return failed(command.error)
    default:
      return type satisfies never
  }
}
