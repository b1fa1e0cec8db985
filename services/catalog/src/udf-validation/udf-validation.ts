import type { JsonValue } from '@assay/event-store'
import type { TemplateDefinition, TemplateVariable } from '../udf-template/udf-template.ts'

/** What a validation needs to be carried out, also by a later process. */
export type ValidationTask = {
  definition: Pick<TemplateDefinition, 'code' | 'udfType' | 'udfDataType'>
  variables: TemplateVariable[]
  assetId: number | null
  testData: string | null
  /** Empty: all. */
  selectedColumns: string[]
  /** Columns that who asked may not see: they are not there. */
  hiddenColumns: string[]
  /** Of a view: the tables that it read then. */
  sourceIds?: number[]
}
export type UdfValidationRequested = {
  type: 'UdfValidationRequested'
  /** `showsProtected`: protected values can be in the result. */
  data: { requestId: string; udfId: number; at: string; by: string; task: ValidationTask; showsProtected: boolean }
}
export type UdfValidationSucceeded = { type: 'UdfValidationSucceeded'; data: Of & { result: JsonValue } }
export type UdfValidationFailed = { type: 'UdfValidationFailed'; data: Of & { error: string } }
/** Its time of keeping is over. */
export type UdfValidationForgotten = { type: 'UdfValidationForgotten'; data: Of }
type Of = { requestId: string; udfId: number; at: string }
export type UdfValidationEvent =
  | UdfValidationRequested
  | UdfValidationSucceeded
  | UdfValidationFailed
  | UdfValidationForgotten

export type KnownValidation = {
  status: 'open' | 'successful' | 'failed'
  requestId: string
  udfId: number
  task: ValidationTask
  showsProtected: boolean
  result: JsonValue
  error: string | null
  requestedAt: string
}
export type UdfValidationState = { status: 'absent' } | { status: 'forgotten'; requestId: string } | KnownValidation

type RequestValidation = { type: 'RequestValidation' } & UdfValidationRequested['data']
type SucceedValidation = { type: 'SucceedValidation'; at: string; result: JsonValue }
type FailValidation = { type: 'FailValidation'; at: string; error: string }
/** Drops what was requested before `requestedBefore` and has ended. */
type ForgetValidation = { type: 'ForgetValidation'; at: string; requestedBefore: string }
export type UdfValidationCommand = RequestValidation | SucceedValidation | FailValidation | ForgetValidation

export const initialUdfValidation: UdfValidationState = { status: 'absent' }

/** The state after one more event. */
export function evolveUdfValidation(state: UdfValidationState, event: UdfValidationEvent): UdfValidationState {
  if (event.type === 'UdfValidationRequested') {
    const { requestId, udfId, task, showsProtected, at } = event.data
    return { status: 'open', requestId, udfId, task, showsProtected, result: null, error: null, requestedAt: at }
  }
  if (state.status === 'absent' || state.status === 'forgotten') return state
  switch (event.type) {
    case 'UdfValidationSucceeded':
      return { ...state, status: 'successful', result: event.data.result }
    case 'UdfValidationFailed':
      return { ...state, status: 'failed', error: event.data.error }
    case 'UdfValidationForgotten':
      return { status: 'forgotten', requestId: state.requestId }
    default:
      return event satisfies never
  }
}

/** What a command means. The first end counts: a job may be worked on twice. */
export function decideUdfValidation(command: UdfValidationCommand, state: UdfValidationState): UdfValidationEvent[] {
  if (command.type === 'RequestValidation') {
    const { type: _, ...data } = command
    return state.status === 'absent' ? [{ type: 'UdfValidationRequested', data }] : []
  }
  if (state.status === 'absent' || state.status === 'forgotten') return []
  if (command.type === 'ForgetValidation') {
    const { requestId, udfId, status, requestedAt } = state
    const isOver = status !== 'open' && requestedAt < command.requestedBefore
    return isOver ? [{ type: 'UdfValidationForgotten', data: { requestId, udfId, at: command.at } }] : []
  }
  if (state.status !== 'open') return []
  const of = { requestId: state.requestId, udfId: state.udfId, at: command.at }
  return command.type === 'SucceedValidation'
    ? [{ type: 'UdfValidationSucceeded', data: { ...of, result: command.result } }]
    : [{ type: 'UdfValidationFailed', data: { ...of, error: command.error } }]
}
