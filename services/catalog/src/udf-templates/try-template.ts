import type { SampleData } from '@assay/contracts'
import { type DataEngine, type Metric, queryOver } from '@assay/data-engine'
import type { Documents } from '@assay/documents'
import { AssayError } from '@assay/service-kit/errors'
import { rowsOf } from '../reference-assets/measure-asset.ts'
import type { ValidationTask } from '../udf-validation/udf-validation.ts'
import { expressionOf, testDataset, typeProblem } from './applied-template.ts'

/** Maximum number of rows of a result, as in a sample. */
const maxRows = 100

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

/** `testData`: text, instead of the rows of the task's asset. */
export interface Trial {
  task: ValidationTask
  testData: string | null
}

/** The rows that a template is applied to. Throws `unprocessable` if the engine cannot prepare its expression. */
export async function preparedRows(
  deps: TemplateDeps,
  { task, testData }: Trial,
  call: { tenant: string; purpose: 'check' | 'job'; signal: AbortSignal },
) {
  const { documents, engine } = deps
  const { tenant } = call
  const dataset = testData === null ? await rowsOf(documents, tenant, task.assetId ?? 0) : testDataset(testData)
  const rows = queryOver(dataset, { without: testData === null ? task.hiddenColumns : [] })
  const { metricErrors } = await engine.prepare({ dataset: rows, metrics: [check(task)] }, call)
  const [problem] = metricErrors
  if (problem !== undefined) throw new AssayError('unprocessable', `code: ${problem.message}`)
  return rows
}

/**
 * Applies a template to the first rows of an asset, or to test data, in the engine's child process. Throws the errors of
 * the engine.
 */
export async function tryTemplate(
  deps: TemplateDeps,
  trial: Trial,
  { tenant, signal }: { tenant: string; signal: AbortSignal },
): Promise<SampleData> {
  const { task } = trial
  const rows = await preparedRows(deps, trial, { tenant, purpose: 'job', signal })
  const added = [{ name: 'result', expression: expressionOf(task) }]
  const dataset = queryOver(rows, { only: task.selectedColumns, added, limit: maxRows })
  const sampled = await deps.engine.sample({ dataset, limit: maxRows }, { tenant, purpose: 'job', signal })
  const problem = typeProblem(task.definition.udfDataType, sampled.fields.at(-1)?.type ?? '')
  if (problem !== undefined) throw new AssayError('unprocessable', problem)
  return { schema: { fields: sampled.fields }, data: sampled.rows }
}
