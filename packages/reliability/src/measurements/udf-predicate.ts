import { itemKinds } from '@assay/contracts'
import { findColumnPath, type Predicate, type Variable } from '@assay/data-engine'
import type { z } from 'zod'
import { ImpossibleDefinition, knownColumn, type PlannedColumn } from '../definition.ts'
import { boundVariables } from '../references.ts'
import { type ItemToPlan, rowMeasurement } from './measurement.ts'
import { readsColumn } from './reads.ts'

type Value = z.output<typeof itemKinds.UDF_PREDICATE.value>

interface Given {
  value: string | null
  isColumnVariable: boolean | undefined
  path: string
}

/** A list of `{key, value, isColumnVariable?}` or an object `{key: value}`. */
function givenParameters(parameters: Value['parameters']): Map<string, Given> {
  const text = (value: string | number | boolean | null | undefined) => (value == null ? null : String(value))
  if (parameters === undefined) return new Map()
  if (Array.isArray(parameters)) {
    return new Map(
      parameters.map(({ key, value, isColumnVariable }, index) => [
        key,
        { value: text(value), isColumnVariable, path: `value.parameters[${index}]` },
      ]),
    )
  }
  return new Map(
    Object.entries(parameters).map(([key, value]) => [
      key,
      { value: text(value), isColumnVariable: undefined, path: `value.parameters.${key}` },
    ]),
  )
}

function columnVariable(columns: readonly PlannedColumn[], name: string, path: string): Variable {
  knownColumn(columns, name, path)
  const { column, fields } = findColumnPath(columns, name) ?? { column: name, fields: [] }
  return fields.length === 0 ? { column } : { column, fields }
}

/**
 * The condition of a template with the parameters of an item. Values are bound; column names are checked and quoted.
 */
function predicate({ value, columns, references }: ItemToPlan<Value>): Predicate {
  const { udfId, parameters } = value()
  const template = references.udf(udfId)
  if (template === undefined)
    throw new ImpossibleDefinition('value.udfId', `there is no UDF template with the id ${udfId}`)
  if (template.language !== 'EXPRESSION') {
    throw new ImpossibleDefinition(
      'value.udfId',
      `the UDF template '${template.name}' is in ${template.language}; only EXPRESSION is supported`,
    )
  }
  const given = givenParameters(parameters)
  const known = new Map(template.variables.map((variable) => [variable.key, variable]))
  const variables: Record<string, Variable> = boundVariables(references.variables)
  for (const [key, { path }] of given) {
    if (!known.has(key)) throw new ImpossibleDefinition(path, `the UDF template has no parameter '${key}'`)
  }
  for (const { key, value: otherwise, isColumnVariable } of template.variables) {
    const one = given.get(key)
    const path = one?.path ?? 'value.parameters'
    const text = one?.value ?? otherwise
    if (text === null) throw new ImpossibleDefinition(path, `the parameter '${key}' needs a value`)
    variables[key] = (one?.isColumnVariable ?? isColumnVariable) ? columnVariable(columns, text, path) : { text }
  }
  return { kind: 'expression', expression: { sql: template.code, variables } }
}

export const udfPredicate = rowMeasurement(itemKinds.UDF_PREDICATE, predicate, {
  reads: (item) => ({ ...readsColumn(item), sql: true }),
  needs: ({ udfId }) => ({ udfIds: [udfId] }),
  checkForm: ({ value }) => value(),
})
