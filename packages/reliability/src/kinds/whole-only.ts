import type { StartRequest } from '@assay/contracts'
import type { Refusal } from './run-kind.ts'

/**
 * Why a start request is refused by a kind that checks only whole tables. `why`: the beginning of the sentence. Pure.
 */
export function refusalOfPart(itemIds: readonly number[], request: StartRequest, why: string): Refusal | undefined {
  const { ruleItemSelections: selections, executionType } = request
  const unknown = selections?.findIndex((id) => !itemIds.includes(id)) ?? -1
  if (unknown !== -1) {
    const message = `ruleItemSelections[${unknown}]: ${selections?.[unknown]} is not the id of an item of this policy.`
    return { code: 'invalid', message }
  }
  if (executionType === undefined || executionType === 'FULL') return undefined
  return { code: 'unprocessable', message: `${why}, so it cannot run ${executionType}; start it FULL.` }
}
