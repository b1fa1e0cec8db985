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
}
export type UdfValidationRequested = {
  type: 'UdfValidationRequested'
  /** `showsProtected`: protected values can be in the result. */
  data: { requestId: string; udfId: number; at: string; by: string; task: ValidationTask; showsProtected: boolean }
}
export type UdfValidationSucceeded = { type: 'UdfValidationSucceeded'; data: Of & { result: JsonValue } }
export type UdfValidationFailed = { type: 'UdfValidationFailed'; data: Of & { error: string } }
type Of = { requestId: string; udfId: number; at: string }
export type UdfValidationEvent = UdfValidationRequested | UdfValidationSucceeded | UdfValidationFailed

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
export type UdfValidationState = { status: 'absent' } | KnownValidation

type RequestValidation = { type: 'RequestValidation' } & UdfValidationRequested['data']
type SucceedValidation = { type: 'SucceedValidation'; at: string; result: JsonValue }
type FailValidation = { type: 'FailValidation'; at: string; error: string }
export type UdfValidationCommand = RequestValidation | SucceedValidation | FailValidation

export const initialUdfValidation: UdfValidationState = { status: 'absent' }

/** The state after one more event. */
export function evolveUdfValidation(state: UdfValidationState, event: UdfValidationEvent): UdfValidationState {
  if (event.type === 'UdfValidationRequested') {
    const { requestId, udfId, task, showsProtected, at } = event.data
    return { status: 'open', requestId, udfId, task, showsProtected, result: null, error: null, requestedAt: at }
  }
  if (state.status === 'absent') return state
  return event.type === 'UdfValidationSucceeded'
    ? { ...state, status: 'successful', result: event.data.result }
    : { ...state, status: 'failed', error: event.data.error }
}

/** What a command means. The first end counts: a job may be worked on twice. */
export function decideUdfValidation(command: UdfValidationCommand, state: UdfValidationState): UdfValidationEvent[] {
  if (command.type === 'RequestValidation') {
    const { type: _, ...data } = command
    return state.status === 'absent' ? [{ type: 'UdfValidationRequested', data }] : []
  }
  if (state.status !== 'open') return []
  const of = { requestId: state.requestId, udfId: state.udfId, at: command.at }
  return command.type === 'SucceedValidation'
    ? [{ type: 'UdfValidationSucceeded', data: { ...of, result: command.result } }]
    : [{ type: 'UdfValidationFailed', data: { ...of, error: command.error } }]
}
