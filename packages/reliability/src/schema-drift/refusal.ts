import type { StartRequest } from '@assay/contracts'
import type { Refusal } from '../kinds/run-kind.ts'
import { itemsOf, type SchemaDriftPolicy } from './definition.ts'

/** Why a start request is refused: a schema is compared as a whole, so runs are FULL. Pure. */
export function schemaDriftRefusal(policy: SchemaDriftPolicy, request: StartRequest): Refusal | undefined {
  const { ruleItemSelections: selections, executionType, markerConfigs } = request
  if (executionType === 'SELECTIVE' && (markerConfigs ?? []).length === 0)
    return { code: 'invalid', message: 'markerConfigs: a SELECTIVE run needs them, to know which rows to read.' }
  const known = new Set(itemsOf(policy).map(({ id }) => id))
  const unknown = selections?.findIndex((id) => !known.has(id)) ?? -1
  if (unknown !== -1) {
    const message = `ruleItemSelections[${unknown}]: ${selections?.[unknown]} is not the id of an item of this policy.`
    return { code: 'invalid', message }
  }
  if (executionType === undefined || executionType === 'FULL') return undefined
  return {
    code: 'unprocessable',
    message: `A schema drift policy compares whole schemas, so it cannot run ${executionType}; start it FULL.`,
  }
}
