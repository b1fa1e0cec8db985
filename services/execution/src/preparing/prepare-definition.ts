import { type DataEngine, datasetLocator, type Metric, type Prepared, type SqlText } from '@assay/data-engine'
import type { Timers } from '@assay/service-kit'
import { AssayError, isAssayError } from '@assay/service-kit/errors'

/** How long whoever writes a definition waits for its source. */
const patienceMs = 10_000

export interface DefinitionToPrepare {
  tenant: string
  /** As the catalog told of the table. */
  locator: unknown
  filter?: SqlText | undefined
  metrics: readonly Metric[]
}

/** Checks a definition against its source, before it is stored. */
export type PrepareDefinition = (definition: DefinitionToPrepare) => Promise<Prepared | 'unreachable'>

/**
 * The check that the policy service is given. A source that cannot be read, or not within ten seconds, is 'unreachable':
 * no reason to refuse a definition, the run will tell. Errors: those of the engine that speak of the definition.
 */
export function prepareDefinition(
  engine: Pick<DataEngine, 'prepare'>,
  timers: Pick<Timers, 'sleep'>,
): PrepareDefinition {
  return async ({ locator, filter, metrics }) => {
    const dataset = datasetLocator.safeParse(locator)
    if (!dataset.success) return 'unreachable'
    const late = new AbortController()
    const done = new AbortController()
    const request = { dataset: dataset.data, ...(filter ? { filter } : {}), metrics }
    void timers.sleep(patienceMs, done.signal).then(() => {
      if (!done.signal.aborted) late.abort(new AssayError('timeout', 'The source took too long to answer.'))
    })
    try {
      return await engine.prepare(request, { signal: late.signal })
    } catch (error) {
      if (late.signal.aborted || isUnreachable(error)) return 'unreachable'
      throw error
    } finally {
      done.abort()
    }
  }
}

function isUnreachable(error: unknown): boolean {
  return (
    isAssayError(error, 'unprocessable') ||
    isAssayError(error, 'unavailable') ||
    isAssayError(error, 'timeout') ||
    isAssayError(error, 'too-large')
  )
}
