import type { PolicyAnswer, StartRequest } from '@assay/contracts'
import { type KeptDefinition, type KindPolicy, kindOf, type TableSettings } from '@assay/reliability'
import { AssayError } from '@assay/service-kit/errors'

/** A policy that can be started: its stored and its parsed definition. */
export interface Startable {
  kept: KeptDefinition
  opened: KindPolicy
}

/** The parsed definition of a policy. `settings`: the settings of its first table. Pure. */
export function openedPolicy(policy: PolicyAnswer, settings: TableSettings): Startable {
  const kind = kindOf(policy.rule.type)
  const kept = kind.keep(policy, settings)
  return { kept, opened: kind.open(kept)(policy.rule.version) }
}

/** Throws `invalid`, naming the field, if the request is wrong whatever the state of the policy. Pure. */
export function assertWellFormed({ opened }: Startable, request: StartRequest): void {
  const refusal = opened.refusal(request)
  if (refusal?.code === 'invalid') throw new AssayError(refusal.code, refusal.message)
}

/** Throws `unprocessable` if the policy cannot be started this way now. Does not check whether another run is open. Pure. */
export function assertStartable({ opened }: Startable, { rule }: PolicyAnswer, request: StartRequest): void {
  if (rule.archived) throw new AssayError('unprocessable', `Policy "${rule.name}" is archived; unarchive it to run it.`)
  if (!rule.enabled) throw new AssayError('unprocessable', `Policy "${rule.name}" is disabled; enable it to run it.`)
  const refusal = opened.refusal(request)
  if (refusal !== undefined) throw new AssayError(refusal.code, refusal.message)
}
