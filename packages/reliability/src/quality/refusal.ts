import type { StartRequest } from '@assay/contracts'
import type { Refusal } from '../kinds/run-kind.ts'
import type { QualityPolicy } from './definition.ts'

/** Why a start request is refused, checked without the table. Pure. */
export function qualityRefusal({ items, sides }: QualityPolicy, request: StartRequest): Refusal | undefined {
  const { ruleItemSelections: selections, executionType, markerConfigs } = request
  const known = new Set(items.filter((item) => !item.isArchived).map((item) => item.id))
  const unknown = selections?.findIndex((id) => !known.has(id)) ?? -1
  if (unknown !== -1) {
    const message = `ruleItemSelections[${unknown}]: ${selections?.[unknown]} is not the id of an item of this policy.`
    return { code: 'invalid', message }
  }
  switch (executionType) {
    case undefined:
    case 'FULL':
      return undefined
    case 'SELECTIVE':
      if (markerConfigs && markerConfigs.length > 0) return undefined
      return { code: 'invalid', message: 'markerConfigs: a SELECTIVE run needs them, to know which rows to read.' }
    case 'INCREMENTAL':
      if (sides.every(({ marker }) => marker !== null)) return undefined
      return {
        code: 'unprocessable',
        message: 'An INCREMENTAL run needs a marker stored with the policy; it has none.',
      }
    default:
      return executionType satisfies never
  }
}
