import type { PolicyAnswer, StartRequest } from '@assay/contracts'
import { type KeptDefinition, type KindPolicy, kindOf, type TableSettings } from '@assay/reliability'
import { AssayError } from '@assay/service-kit/errors'

/** A policy that can be started: its stored and its parsed definition. */
export interface Startable {
  kept: KeptDefinition
  opened: KindPolicy
}

/**
 * `settings`: the settings of its first table. Throws if a policy cannot be started this way: `unprocessable` for its state,
 * `invalid` (naming the field) for the request. Does not check whether another run is open.
 */
export function startable(policy: PolicyAnswer, request: StartRequest, settings: TableSettings): Startable {
  const { rule } = policy
  if (rule.archived) throw new AssayError('unprocessable', `Policy "${rule.name}" is archived; unarchive it to run it.`)
  if (!rule.enabled) throw new AssayError('unprocessable', `Policy "${rule.name}" is disabled; enable it to run it.`)
  const kind = kindOf(rule.type)
  const kept = kind.keep(policy, settings)
  const opened = kind.open(kept)(rule.version)
  const refusal = opened.refusal(request)
  if (refusal !== undefined) throw new AssayError(refusal.code, refusal.message)
  return { kept, opened }
}
