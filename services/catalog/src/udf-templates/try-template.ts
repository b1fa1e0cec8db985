import type { DataEngine, Metric } from '@assay/data-engine'
import type { Documents } from '@assay/documents'
import type { JsonValue } from '@assay/event-store'
import { AssayError } from '@assay/service-kit/errors'
import { rowsOf } from '../reference-assets/measure-asset.ts'
import type { ValidationTask } from '../udf-validation/udf-validation.ts'
import { appliedTo, expressionOf, rowsToTry, testDataset, typeProblem } from './applied-template.ts'

/** Rows of a result, which is stored in the log. */
const mostRows = 20
const mostCharacters = 200_000

export interface TemplateDeps {
  documents: Documents
  engine: Pick<DataEngine, 'prepare' | 'sample' | 'touches'>
}

function check(task: ValidationTask): Metric {
  const expression = expressionOf(task)
  return task.definition.udfType === 'FILTER'
    ? { kind: 'rows', id: 1, predicate: { kind: 'expression', expression } }
    : { kind: 'aggregate-expression', id: 1, fn: 'COUNT', expression }
}

/** The rows to try it on. Throws `unprocessable` if the engine cannot prepare the expression over them. */
export async function preparedRows(
  deps: TemplateDeps,
  task: ValidationTask,
  call: { tenant: string; purpose: 'check' | 'look'; signal: AbortSignal },
) {
  const { documents, engine } = deps
  const { tenant } = call
  const { testData, assetId } = task
  const dataset = testData === null ? await rowsOf(documents, tenant, assetId ?? 0) : testDataset(testData)
  const rows = rowsToTry(dataset, testData === null ? task.hiddenColumns : [])
  const { metricErrors } = await engine.prepare({ dataset: rows, metrics: [check(task)] }, call)
  const [problem] = metricErrors
  if (problem !== undefined) throw new AssayError('unprocessable', `code: ${problem.message}`)
  return rows
}

/** As many rows as may be stored. */
function fitted<T>(rows: readonly T[]): T[] {
  let kept = rows.slice(0, mostRows)
  while (kept.length > 0 && JSON.stringify(kept).length > mostCharacters) kept = kept.slice(0, kept.length >> 1)
  return kept
}

/**
 * Applies a template to the first rows of an asset, or to test data, in the engine's child process. Errors: those of
 * the engine.
 */
export async function tryTemplate(
  deps: TemplateDeps,
  request: { tenant: string; task: ValidationTask; signal: AbortSignal },
): Promise<JsonValue> {
  const { tenant, task, signal } = request
  const rows = await preparedRows(deps, task, { tenant, purpose: 'look', signal })
  const dataset = appliedTo(rows, expressionOf(task), task.selectedColumns, mostRows)
  const sampled = await deps.engine.sample({ dataset, limit: mostRows }, { tenant, purpose: 'look', signal })
  const problem = typeProblem(task.definition.udfDataType, sampled.fields.at(-1)?.type ?? '')
  if (problem !== undefined) throw new AssayError('unprocessable', problem)
  const result = { schema: { fields: sampled.fields }, data: fitted(sampled.rows) }
  // Rows of the engine are JSON already.
  return JSON.parse(JSON.stringify(result))
}
