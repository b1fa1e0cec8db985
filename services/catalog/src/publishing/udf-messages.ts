import type { UdfTemplateMessage, UdfVariablesMessage } from '@assay/contracts'
import type { Loaded } from '@assay/event-store'
import type { UdfVariablesState } from '../asset-udf-variables/asset-udf-variables.ts'
import type { UdfTemplateState } from '../udf-template/udf-template.ts'

/** The current variables of an asset, for the services that bind them. */
export function udfVariablesMessageOf({
  state,
  revision,
}: Pick<Loaded<UdfVariablesState>, 'state' | 'revision'>): UdfVariablesMessage | undefined {
  const { assetId, path, variables } = state
  if (assetId === 0) return undefined
  return { revision, assetId, path, variables: variables.map(({ key, value }) => ({ key, value })) }
}

/** The current template, for the services that use it in policies. */
export function udfTemplateMessageOf({
  state,
  revision,
}: Pick<Loaded<UdfTemplateState>, 'state' | 'revision'>): UdfTemplateMessage | undefined {
  if (state.status === 'absent') return undefined
  const { name, language, udfType, udfDataType, code, variables } = state.definition
  const isDeleted = state.status === 'deleted'
  return { revision, udfId: state.id, name, language, udfType, udfDataType, code, variables, isDeleted }
}
