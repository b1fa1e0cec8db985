import type { StartRequest } from '@assay/contracts'
import type { Refusal } from './kinds/run-kind.ts'

/** Why a start request is refused by a policy that allows FULL, INCREMENTAL and SELECTIVE runs. Pure. */
export function startRefusal(
  { ruleItemSelections: selections, executionType }: StartRequest,
  { items, hasMarker }: { items: readonly { id: number }[]; hasMarker: boolean },
): Refusal | undefined {
  const known = new Set(items.map(({ id }) => id))
  const unknown = selections?.findIndex((id) => !known.has(id)) ?? -1
  if (unknown !== -1) {
    const message = `ruleItemSelections[${unknown}]: ${selections?.[unknown]} is not the id of an item of this policy.`
    return { code: 'invalid', message }
  }
  switch (executionType) {
    case undefined:
    case 'FULL':
    case 'SELECTIVE':
      return undefined
    case 'INCREMENTAL':
      if (hasMarker) return undefined
      return {
        code: 'unprocessable',
        message: 'An INCREMENTAL run needs a marker stored with the policy; it has none.',
      }
    default:
      return executionType satisfies never
  }
}
