import { isDataQuality, type PolicyAnswer, type RuleAnswer, type StartRequest } from '@assay/contracts'
import { AssayError } from '@assay/service-kit/errors'

/**
 * Throws where a policy cannot be started this way: `unprocessable` for its state, `invalid` (naming the field) for what
 * was asked, `not-implemented` for what no engine does yet. That no other run is open is asked elsewhere.
 */
export function assertStartable(policy: PolicyAnswer, request: StartRequest): asserts policy is RuleAnswer {
  const { rule } = policy
  if (rule.archived) throw new AssayError('unprocessable', `Policy "${rule.name}" is archived; unarchive it to run it.`)
  if (!rule.enabled) throw new AssayError('unprocessable', `Policy "${rule.name}" is disabled; enable it to run it.`)
  if (!isDataQuality(policy)) {
    throw new AssayError('not-implemented', `Policies of type ${rule.type} cannot be run by this version of Assay.`)
  }
  assertSelections(policy.details.items, request.ruleItemSelections)
  assertMarked(request, policy.rule.backingAsset.marker !== null)
}

function assertSelections(items: RuleAnswer['details']['items'], selections: readonly number[] | undefined): void {
  const known = new Set(items.filter((item) => !item.isArchived).map((item) => item.id))
  const unknown = selections?.findIndex((id) => !known.has(id)) ?? -1
  if (unknown === -1) return
  throw new AssayError(
    'invalid',
    `ruleItemSelections[${unknown}]: ${selections?.[unknown]} is not the id of an item of this policy.`,
  )
}

/** What can be told without the table. */
function assertMarked(request: StartRequest, hasMarker: boolean): void {
  switch (request.executionType) {
    case undefined:
    case 'FULL':
      return
    case 'SELECTIVE':
      if (!request.markerConfigs || request.markerConfigs.length === 0) {
        throw new AssayError('invalid', 'markerConfigs: a SELECTIVE run needs them, to know which rows to read.')
      }
      return
    case 'INCREMENTAL':
      if (!hasMarker) {
        throw new AssayError('unprocessable', 'An INCREMENTAL run needs a marker stored with the policy; it has none.')
      }
      return
    default:
      request.executionType satisfies never
  }
}
