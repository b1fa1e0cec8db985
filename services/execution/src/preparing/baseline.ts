import type { PolicyType } from '@assay/contracts'
import type { DataEngine } from '@assay/data-engine'
import { kindOf } from '@assay/reliability'
import { type Clock, isoTime, type Timers, withDeadline } from '@assay/service-kit'
import { AssayError, isAssayError } from '@assay/service-kit/errors'
import { executionTables } from '../copies/tables.ts'
import type { Copies } from '../references/copies.ts'
import { datasetOf } from '../references/tags.ts'
import type { Versions } from '../versions/versions.ts'

/** Maximum time that the creation of a policy waits for its source, in milliseconds. */
const timeoutMs = 8_000
const context = { actor: 'system' }

/**
 * Stores the baseline of a new policy as a version, and returns its key. `undefined` if the type needs no baseline,
 * if the source cannot be read, or if the baseline is larger than an event may be. The first run then compares with the columns that the crawl found.
 */
export type BaselineOf = (asked: {
  tenant: string
  type: PolicyType
  assetId: number
  locator: unknown
}) => Promise<string | undefined>

export function createBaselines(deps: {
  documents: Pick<Copies, 'get'>
  engine: Pick<DataEngine, 'describe'>
  versions: Pick<Versions, 'keep'>
  timers: Pick<Timers, 'sleep'>
  clock: Clock
}): BaselineOf {
  const { documents, engine, versions, timers, clock } = deps
  return async ({ tenant, type, assetId, locator }) => {
    const kind = kindOf(type)
    if (kind.learn === undefined) return undefined
    const { sourceIds } = (await documents.get(executionTables, tenant, assetId))?.document.table ?? {}
    const dataset = await datasetOf(documents, tenant, { locator, sourceIds })
    if (dataset === undefined) return undefined
    const late = new AssayError('timeout', 'The source did not answer in time.')
    const described = await withDeadline(timers, { milliseconds: timeoutMs, late }, (signal) =>
      engine.describe({ dataset }, { tenant, signal, purpose: 'check' }),
    ).catch((error: unknown) => {
      if (isAssayError(error)) return undefined
      throw error
    })
    if (described === undefined) return undefined
    const at = isoTime(clock.now())
    const learned = kind.learn(assetId, described.columns, at)
    return versions.keep(tenant, { kind: 'LEARNED', at, learned }, context).catch((error: unknown) => {
      if (isAssayError(error, 'too-large')) return undefined
      throw error
    })
  }
}
