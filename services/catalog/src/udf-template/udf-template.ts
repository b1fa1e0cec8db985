import type { UdfTemplateRequest } from '@assay/contracts'
import { AssayError } from '@assay/service-kit/errors'

export type TemplateVariable = { key: string; value: string | null; isColumnVariable: boolean }
/** Another asset that a template looks values up in. */
type ReferenceAsset = {
  referenceAssetUid: string
  referenceAssetAlias: string
  referenceAssetColumns: string[]
  referenceAssetSqlFilter: string | null
}
type TemplateDataType =
  | 'BOOLEAN'
  | 'STRING'
  | 'SHORT'
  | 'INTEGER'
  | 'LONG'
  | 'FLOAT'
  | 'DOUBLE'
  | 'BIGDECIMAL'
  | 'DATE'
  | 'TIMESTAMP'
/** The fields that users define. The other fields of the record derive from them. */
export type TemplateDefinition = {
  name: string
  description: string
  code: string
  language: 'SCALA' | 'JAVA' | 'PYTHON' | 'JAVASCRIPT' | 'EXPRESSION'
  udfType: 'FILTER' | 'TRANSFORM' | 'NUMBER'
  udfDataType: TemplateDataType
  isTemplate: boolean
  isPackage: boolean
  isMetadata: boolean
  isLookup: boolean
  className: string | null
  labels: { key: string; value: string }[] | null
  packageId: number | null
  referenceAssets: ReferenceAsset[] | null
  variables: TemplateVariable[]
}

type OfTemplate = { udfId: number; at: string; by: string }
export type UdfTemplateCreated = { type: 'UdfTemplateCreated'; data: OfTemplate & { definition: TemplateDefinition } }
export type UdfTemplateUpdated = {
  type: 'UdfTemplateUpdated'
  data: OfTemplate & { before: TemplateDefinition; definition: TemplateDefinition }
}
export type UdfTemplateDeleted = { type: 'UdfTemplateDeleted'; data: OfTemplate & { name: string } }
export type UdfTemplateEvent = UdfTemplateCreated | UdfTemplateUpdated | UdfTemplateDeleted

export type KnownTemplate = {
  status: 'live' | 'deleted'
  id: number
  definition: TemplateDefinition
  createdAt: string
  createdBy: string
  updatedAt: string
  lastUpdatedBy: string
}
export type UdfTemplateState = { status: 'absent' } | KnownTemplate

type CreateUdfTemplate = { type: 'CreateUdfTemplate' } & UdfTemplateCreated['data']
type UpdateUdfTemplate = { type: 'UpdateUdfTemplate' } & UdfTemplateCreated['data']
type DeleteUdfTemplate = { type: 'DeleteUdfTemplate' } & OfTemplate
export type UdfTemplateCommand = CreateUdfTemplate | UpdateUdfTemplate | DeleteUdfTemplate

export const initialUdfTemplate: UdfTemplateState = { status: 'absent' }

/** The state after an event. */
export function evolveUdfTemplate(state: UdfTemplateState, event: UdfTemplateEvent): UdfTemplateState {
  const { at, by } = event.data
  if (event.type === 'UdfTemplateCreated') {
    const { udfId: id, definition } = event.data
    return { status: 'live', id, definition, createdAt: at, createdBy: by, updatedAt: at, lastUpdatedBy: by }
  }
  if (state.status === 'absent') return state
  const touched = { ...state, updatedAt: at, lastUpdatedBy: by }
  return event.type === 'UdfTemplateUpdated'
    ? { ...touched, definition: event.data.definition }
    : { ...touched, status: 'deleted' }
}

/** The template, if it exists. Throws `not-found`. */
export function liveTemplate(state: UdfTemplateState): KnownTemplate {
  if (state.status !== 'live') throw new AssayError('not-found', 'There is no such template.')
  return state
}

/** The events of a command on a template; none if nothing changes. */
export function decideUdfTemplate(command: UdfTemplateCommand, state: UdfTemplateState): UdfTemplateEvent[] {
  switch (command.type) {
    case 'CreateUdfTemplate': {
      const { type: _, ...data } = command
      return state.status === 'absent' ? [{ type: 'UdfTemplateCreated', data }] : []
    }
    case 'UpdateUdfTemplate': {
      const { type: _, ...data } = command
      const { definition: before } = liveTemplate(state)
      if (JSON.stringify(before) === JSON.stringify(data.definition)) return []
      return [{ type: 'UdfTemplateUpdated', data: { ...data, before } }]
    }
    case 'DeleteUdfTemplate': {
      const { type: _, ...data } = command
      return [{ type: 'UdfTemplateDeleted', data: { ...data, name: liveTemplate(state).definition.name } }]
    }
    default:
      return command satisfies never
  }
}

/** The definition in a request. Throws `unprocessable` for impossible combinations. Pure. */
export function definitionOf(request: UdfTemplateRequest): TemplateDefinition {
  const { name, code, language, udfType, udfDataType, isLookup = false } = request
  if (udfType === 'FILTER' && udfDataType !== 'BOOLEAN')
    throw new AssayError('unprocessable', 'udfDataType: must be BOOLEAN for a template of the type FILTER.')
  if (isLookup && udfType !== 'FILTER')
    throw new AssayError('unprocessable', 'isLookup: only templates of the type FILTER can be lookups.')
  const variables = (request.variables ?? []).map(({ key, value, isColumnVariable }) => ({
    key,
    value: value ?? null,
    isColumnVariable: isColumnVariable ?? false,
  }))
  const twice = variables.find(({ key }, index) => variables.findIndex((other) => other.key === key) !== index)
  if (twice !== undefined) throw new AssayError('unprocessable', `variables: '${twice.key}' is repeated.`)
  return {
    name: name.trim(),
    description: request.description ?? '',
    code,
    language,
    udfType,
    udfDataType,
    isTemplate: request.isTemplate ?? true,
    isPackage: request.isPackage ?? false,
    isMetadata: request.isMetadata ?? false,
    isLookup,
    className: request.className ?? null,
    labels: request.labels ?? null,
    packageId: request.packageId ?? null,
    referenceAssets:
      request.referenceAssets?.map(({ referenceAssetSqlFilter = null, ...asset }) => ({
        ...asset,
        referenceAssetSqlFilter,
      })) ?? null,
    variables,
  }
}
