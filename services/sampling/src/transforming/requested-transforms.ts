import type { BodyOf, samplingOperations } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import type { Timers } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { samplingTables } from '../copies/tables.ts'
import { samplingTemplates, type TemplateCopy } from '../copies/templates.ts'
import type { Transform } from './transform.ts'

/** Milliseconds to wait for a template that was just created. */
const timeoutMs = 2_000
const pauseMs = 50

type Requested = NonNullable<BodyOf<typeof samplingOperations.requestAssetSample>['transformUDFs']>[number]

function refusal(index: number, field: string, message: string): AssayError {
  const path = `transformUDFs[${index}].${field}`
  return new AssayError('invalid', `${path}: ${message}`, { details: { field: path } })
}

function variablesOf({ parameters = [] }: Requested, { variables }: TemplateCopy['template']): Transform['variables'] {
  const given = new Map(parameters.map((parameter) => [parameter.key, parameter]))
  return Object.fromEntries(
    variables.flatMap(({ key, value: usual, isColumnVariable: isUsually }) => {
      const { value = usual, isColumnVariable = isUsually } = given.get(key) ?? {}
      return value === null ? [] : [[key, isColumnVariable ? { column: value } : { text: value }]]
    }),
  )
}

/** The templates that are known here, by id. Waits up to two seconds for missing ones. */
async function templatesOf(
  { documents, timers }: { documents: Documents; timers: Pick<Timers, 'sleep'> },
  tenant: string,
  ids: ReadonlySet<number>,
): Promise<ReadonlyMap<number, TemplateCopy['template']>> {
  for (let waited = 0; ; waited += pauseMs) {
    const found = await Promise.all([...ids].map((id) => documents.get(samplingTemplates, tenant, id)))
    const templates = found.flatMap((copy) => copy?.document.template ?? [])
    if (templates.length === ids.size || waited >= timeoutMs)
      return new Map(templates.map((each) => [each.udfId, each]))
    await timers.sleep(pauseMs)
  }
}

/**
 * The columns that the templates of a request add to its sample. Throws `invalid` with the index of an unusable one.
 */
export async function requestedTransforms(
  deps: { documents: Documents; timers: Pick<Timers, 'sleep'> },
  { tenant, tableId }: { tenant: string; tableId: number },
  requested: readonly Requested[],
): Promise<Transform[]> {
  if (requested.length === 0) return []
  const { documents } = deps
  const templates = await templatesOf(deps, tenant, new Set(requested.map(({ udfId }) => udfId)))
  const table = (await documents.get(samplingTables, tenant, tableId))?.document.table
  const taken = new Set(table?.columns.map(({ name }) => name.toLowerCase()))
  const transforms: Transform[] = []
  for (const [index, each] of requested.entries()) {
    const template = templates.get(each.udfId)
    if (template === undefined || template.isDeleted) throw refusal(index, 'udfId', 'there is no such UDF template')
    if (template.language !== 'EXPRESSION')
      throw refusal(
        index,
        'udfId',
        `templates of language ${template.language} are stored, but not run: use EXPRESSION`,
      )
    const name = each.name === undefined || each.name === '' ? template.name : each.name
    if (taken.has(name.toLowerCase())) throw refusal(index, 'name', `a column '${name}' exists already`)
    taken.add(name.toLowerCase())
    transforms.push({ name, sql: template.code, variables: variablesOf(each, template) })
  }
  return transforms
}
