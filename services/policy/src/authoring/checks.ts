import type { ReadYourWrites } from '@assay/event-store'
import type { Prepare } from '@assay/hosting/ports'
import { type Caller, seenOf } from '@assay/service-kit'
import { createDefinitions, type Definitions } from '../definition/new-definition.ts'

/** The checks of one request. They include what its caller has seen of the catalog, here and at the execution service. */
export interface Checks {
  definitions: Definitions
  /** Finds the parts that depend on protected columns. */
  prepare: Prepare
}

/** Waits for the local read models first. */
export type ChecksFor = (call: Caller) => Promise<Checks>

export function createChecksFor(
  deps: Parameters<typeof createDefinitions>[0] & { readYourWrites: ReadYourWrites },
): ChecksFor {
  return async (call) => {
    const wanted = seenOf(call, 'catalog')
    await deps.readYourWrites(wanted)
    const prepare: Prepare = (definition) => deps.prepare({ ...definition, seen: wanted.seen, caller: wanted.caller })
    return { definitions: createDefinitions({ ...deps, prepare }), prepare }
  }
}
