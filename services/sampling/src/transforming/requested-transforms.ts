import type { BodyOf, samplingOperations } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import { AssayError } from '@assay/service-kit/errors'
import { samplingTables } from '../copies/tables.ts'
import { samplingTemplates, type TemplateCopy } from '../copies/templates.ts'
import type { Transform } from './transform.ts'

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

/** What the templates that a request names make of its sample. Error: `invalid` with the index, for what cannot be. */
export async function requestedTransforms(
  documents: Documents,
  { tenant, tableId }: { tenant: string; tableId: number },
  requested: readonly Requested[],
): Promise<Transform[]> {
  if (requested.length === 0) return []
  const table = (await documents.get(samplingTables, tenant, tableId))?.document.table
  const taken = new Set(table?.columns.map(({ name }) => name.toLowerCase()))
  const transforms: Transform[] = []
  for (const [index, each] of requested.entries()) {
    const template = (await documents.get(samplingTemplates, tenant, each.udfId))?.document.template
    if (template === undefined || template.isDeleted) throw refusal(index, 'udfId', 'there is no such UDF template')
    if (template.language !== 'EXPRESSION')
      throw refusal(index, 'udfId', `templates of language ${template.language} are kept, but not run: use EXPRESSION`)
    const name = each.name === undefined || each.name === '' ? template.name : each.name
    if (taken.has(name.toLowerCase())) throw refusal(index, 'name', `there is a column '${name}' already`)
    taken.add(name.toLowerCase())
    transforms.push({ name, sql: template.code, variables: variablesOf(each, template) })
  }
  return transforms
}
