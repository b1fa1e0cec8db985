import type { ItemRecord } from '@assay/contracts'
import type { DataEngine, Metric, Prepared, Progress } from '@assay/data-engine'
import type { Prepare } from '@assay/hosting/ports'
import { boundVariables, planItem, readsOf, withVariables } from '@assay/reliability'
import type { Timers } from '@assay/service-kit'
import { AssayError, isAssayError } from '@assay/service-kit/errors'
import { executionAssetSettings } from '../copies/asset-settings.ts'
import { executionTables } from '../copies/tables.ts'
import { executions } from '../execution/execution.documents.ts'
import type { Copies } from '../references/copies.ts'
import { maskNow, protectedDependence } from '../references/protected-definition.ts'
import { datasetOf } from '../references/tags.ts'
import { touchesOfDefinition } from '../references/touches.ts'
import { keepsProfile } from '../running/baseline-profile.ts'
import type { BaselineOf } from './baseline.ts'
import { type FoundReferences, type ItemProblem, referencesOf } from './definition-references.ts'
import { withNearTable } from './near-table.ts'

/** How long the author of a definition waits for its source, in milliseconds. */
const timeoutMs = 10_000
/** A source that has not opened after this many milliseconds counts as not answering. */
const silentMs = 5_000

export type DefinitionToPrepare = Parameters<Prepare>[0]

/** The result of a check, with the items that can never be evaluated. */
export type PreparedDefinition = Prepared & {
  itemProblems: ItemProblem[]
  protectedParts?: { filter: boolean; marker: boolean; items: number[] }
  baseline?: string
  hasProfile?: boolean
  referenceAssetId?: number
}

/** Checks a definition against its source, before it is stored. */
export type PrepareDefinition = (definition: DefinitionToPrepare) => Promise<PreparedDefinition | 'unreachable'>

/**
 * The check for the policy service. If the source cannot be read or does not answer, the result is 'unreachable', and
 * the definition is accepted: its run will report the error. Throws `unavailable` if the check was not done because
 * the engine was busy or took longer than ten seconds, because otherwise a busy engine would let unchecked definitions
 * through; `unprocessable` if the check needs too much memory; the engine's errors about the definition.
 */
export function prepareDefinition(
  engine: Pick<DataEngine, 'prepare' | 'touches'>,
  timers: Pick<Timers, 'sleep'>,
  documents: Copies,
  baselineOf: BaselineOf,
): PrepareDefinition {
  return async ({
    tenant,
    assetId,
    locator,
    filter,
    metrics,
    items = [],
    guarded,
    learns,
    comparesWith,
    referenced,
  }) => {
    if (learns !== undefined) {
      const baseline = assetId === undefined ? undefined : await baselineOf({ tenant, type: learns, assetId, locator })
      return baseline === undefined ? 'unreachable' : { ...nothingPrepared, baseline }
    }
    if (comparesWith !== undefined) {
      const hasProfile = keepsProfile((await documents.get(executions, tenant, comparesWith))?.document, assetId)
      return { ...nothingPrepared, hasProfile }
    }
    if (referenced) {
      const found = assetId === undefined ? undefined : await documents.get(executionAssetSettings, tenant, assetId)
      const referenceAssetId = found?.document.settings.referenceAssetId ?? null
      return { ...nothingPrepared, ...(referenceAssetId === null ? {} : { referenceAssetId }) }
    }
    if (guarded !== undefined) {
      const protectedParts = await inTime(timers, (signal) =>
        guardedParts({ documents, engine }, assetId, guarded, { tenant, signal }),
      )
      return protectedParts === undefined ? 'unreachable' : { ...nothingPrepared, protectedParts }
    }
    const found =
      assetId === undefined
        ? undefined
        : await referencesOf({ documents, timers }, { tenant, assetId, filter, metrics, items })
    if (found !== undefined && found.problems.length > 0) {
      return { columns: [], filterError: null, metricErrors: [], itemProblems: found.problems }
    }
    const dataset = await datasetOf(documents, tenant, { locator, sourceIds: found?.table.sourceIds })
    if (dataset === undefined) return 'unreachable'
    const probes = found === undefined ? [] : probesOf(items, found, metrics)
    const bound = [...metrics.map((metric) => boundMetric(metric, found)), ...probes.map(({ metric }) => metric)]
    const boundFilter = filter && { ...filter, variables: variablesOf(found) }
    const request = { dataset, ...(boundFilter ? { filter: boundFilter } : {}), metrics: bound }
    const prepared = await inTime(timers, async (signal, done) => {
      const source: { state: 'unasked' | 'asked' | 'silent' | 'answered' } = { state: 'unasked' }
      const onProgress = ({ stage }: Progress) => {
        if (stage !== 'READING') source.state = 'answered'
        if (source.state !== 'unasked') return
        source.state = 'asked'
        void timers.sleep(silentMs, done).then(() => {
          if (source.state === 'asked') source.state = 'silent'
        })
      }
      try {
        return await engine.prepare(request, { tenant, purpose: 'check', signal, onProgress })
      } catch (error) {
        if (signal.aborted ? source.state === 'silent' : isAssayError(error, 'unprocessable')) return undefined
        throw error
      }
    })
    if (prepared === undefined) return 'unreachable'
    const itemProblems = probes.flatMap(({ metric, item, path }) => {
      const error = prepared.metricErrors.find(({ id }) => id === metric.id)
      return error === undefined ? [] : [{ id: item.id, path, message: error.message }]
    })
    const own = new Set(metrics.map(({ id }) => id))
    const ofMetrics = prepared.metricErrors.filter(({ id }) => own.has(id))
    const metricErrors = await Promise.all(
      ofMetrics.map(async ({ id, message }) => {
        return { id, message: found ? await withNearTable(documents, tenant, found.table, message) : message }
      }),
    )
    return { ...prepared, metricErrors, itemProblems }
  }
}

/** The engine's answer within the time limit. Throws the errors of `refusalOf`. */
async function inTime<T>(
  timers: Pick<Timers, 'sleep'>,
  work: (signal: AbortSignal, done: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController()
  const done = new AbortController()
  void timers.sleep(timeoutMs, done.signal).then(() => {
    if (!done.signal.aborted) late.abort(new Error('The check took too long.'))
  })
  try {
    return await work(late.signal, done.signal)
  } catch (error) {
    throw refusalOf(error, late.signal.aborted)
  } finally {
    done.abort()
  }
}

const nothingPrepared = { columns: [], filterError: null, metricErrors: [], itemProblems: [] }

/** `undefined` means there is no local read model of the table. */
async function guardedParts(
  deps: { documents: Copies; engine: Pick<DataEngine, 'touches'> },
  assetId: number | undefined,
  { filter, marker, items }: NonNullable<DefinitionToPrepare['guarded']>,
  call: { tenant: string; signal: AbortSignal },
) {
  const { documents } = deps
  const { tenant } = call
  const stored = assetId === undefined ? undefined : await documents.get(executionTables, tenant, assetId)
  if (stored === undefined) return undefined
  const { table } = stored.document
  const reads = items.map((item) => ({ itemId: item.id, ...readsOf(item) }))
  const parts = { table, filter, markers: [marker], reads }
  // Only a SELECT reads more than the table.
  const matters = reads.some(({ select }) => select !== undefined) || (await maskNow(documents, tenant, table)) !== null
  const touches = matters ? await touchesOfDefinition(deps, { table, filter, items }, call) : new Map()
  const { onFilter, onMarker, items: dependent } = await protectedDependence(documents, tenant, parts, touches)
  return { filter: onFilter, marker: onMarker, items: [...dependent] }
}

const variablesOf = (found: FoundReferences | undefined) => boundVariables(found?.references.variables ?? {})

function boundMetric(metric: Metric, found: FoundReferences | undefined): Metric {
  const bound = withVariables(metric, variablesOf(found))
  if (bound.kind !== 'select') return bound
  const tables = found?.references.tables(bound.select.sql) ?? []
  return tables.length === 0 ? bound : { ...bound, tables }
}

interface Probe {
  item: ItemRecord
  /** The field that the engine checks with it. */
  path: string
  metric: Metric
}

/** Lookups are not checked, because a definition must not be refused while the source of a lookup is unreachable. */
function probesOf(
  items: readonly ItemRecord[],
  { table, references }: FoundReferences,
  before: readonly Metric[],
): Probe[] {
  let id = before.reduce((highest, metric) => Math.max(highest, metric.id), 0)
  return items.flatMap((item) => {
    const planned = planItem(item, table.columns, references)
    if (!('metric' in planned) || planned.metric.kind !== 'rows') return []
    const { filter, predicate } = planned.metric
    const probes: Probe[] = []
    const probe = (path: string, one: typeof predicate) => {
      id += 1
      probes.push({ item, path, metric: { kind: 'rows', id, predicate: one } })
    }
    if (predicate.kind === 'expression') probe('value.udfId', predicate)
    if (filter !== undefined) probe('filter', { kind: 'expression', expression: filter })
    return probes
  })
}

function refusalOf(error: unknown, isLate: boolean): unknown {
  if (isLate || isAssayError(error, 'timeout') || isAssayError(error, 'unavailable'))
    return new AssayError(
      'unavailable',
      isLate || isAssayError(error, 'timeout')
        ? `The definition could not be checked within ${timeoutMs / 1000} s. Try again in a moment.`
        : 'The definition could not be checked, because the data engine is busy. Try again in a moment.',
      { cause: error, retryAfterSeconds: 5 },
    )
  if (isAssayError(error, 'too-large'))
    return new AssayError('unprocessable', 'Checking the definition needs too much memory. Simplify it.', {
      cause: error,
    })
  return error
}
