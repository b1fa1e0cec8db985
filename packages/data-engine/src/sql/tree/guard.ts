import { didYouMean } from '../nearest.ts'
import { allowedNames, allowedTableFunctions, functionClassOf } from './functions.ts'
import { lowered, type Node, queriesOf, textIn } from './nodes.ts'
import { asWritten, type Use, usesIn } from './uses.ts'

/** Why a text is refused. `at`: the position in the parsed text, if it is known. */
export interface Refusal {
  sentence: string
  at: number | undefined
}

export type Form = 'expression' | 'select'

/** The tables that a text may read. */
export interface Reach {
  form: Form
  /** The tables, by the names that the text uses for them. `any`: another check decides later whether they exist. */
  tables: readonly string[] | 'any'
  /**
   * The text is SQL of another database. Names of tables are then compared as written, and functions are not checked,
   * because they are those of the database.
   */
  isForeign?: boolean
}

const shown = (name: string) => `"${name.length > 64 ? `${name.slice(0, 64)}…` : name}"`

function oneStatement(tree: Node, form: Form): string | undefined {
  const queries = queriesOf(tree)
  const expected = form === 'expression' ? 'expression' : 'SELECT'
  if (queries.length !== 1) return `Write one ${expected} only, without a semicolon.`
  const [query] = queries
  if (form === 'select' || query === undefined) return undefined
  const { modifiers, cte_map, select_list, from_table, where_clause, having, qualify, sample } = query
  const isEmpty = (list: unknown) => Array.isArray(list) && list.length === 0
  const [value, more] = Array.isArray(select_list) ? select_list : []
  const isAlone =
    query.type === 'SELECT_NODE' &&
    isEmpty(modifiers) &&
    isEmpty((cte_map as Node | undefined)?.map) &&
    isEmpty(query.group_expressions) &&
    (from_table as Node | undefined)?.type === 'EMPTY' &&
    [where_clause, having, qualify, sample].every((part) => part === null)
  const isValue = value !== undefined && more === undefined && textIn(value, 'alias') === ''
  if (isAlone && isValue && textIn(value, 'class') !== 'STAR') return undefined
  return 'Write one expression over the columns of a row, such as amount > 0; put a SELECT within it in brackets.'
}

const isAmong = ({ tables, isForeign }: Reach, name: string) =>
  tables === 'any' || tables.some((table) => (isForeign ? table === name : lowered(table) === lowered(name)))

function ofTable(use: Extract<Use, { kind: 'table' }>, reach: Reach): string | undefined {
  const { form, tables } = reach
  const isPlain = use.catalog === '' && use.schema === ''
  if (isPlain && isAmong(reach, use.name)) return undefined
  const name = shown([use.catalog, use.schema, use.name].filter((part) => part !== '').join('.'))
  if (form === 'expression') return `The table ${name} cannot be read here: an expression sees the columns of its row.`
  if (!isPlain) return `The table ${name} cannot be read here: write a table's name alone, in double quotes.`
  return `There is no table ${name} here${didYouMean(use.name, tables === 'any' ? [] : tables)}`
}

function ofFunction(use: Extract<Use, { kind: 'function' }>): string | undefined {
  const name = lowered(use.name)
  if (use.qualified) return `Write the function ${shown(use.name)} without a schema.`
  switch (functionClassOf(name)) {
    case 'allowed':
      if (name === 'age' && use.arguments === 1)
        return 'age with one value counts from today; write age(a, b), for example age(current_date, a).'
      return undefined
    case 'unstable':
      return `${shown(use.name)} cannot be used: it gives another value each time, and a check has to be repeatable.`
    case 'engine':
      return `${shown(use.name)} cannot be used: it reads the engine and not the data.`
    case 'unknown':
      return `There is no function ${shown(use.name)} to use here${didYouMean(name, allowedNames())}`
  }
}

function sentenceFor(use: Use, reach: Reach): string | undefined {
  switch (use.kind) {
    case 'table':
      return ofTable(use, reach)
    case 'table-function':
      if (!use.qualified && allowedTableFunctions.has(lowered(use.name))) return undefined
      return `The table function ${shown(use.name)} cannot be used here; read the declared tables, or ${[...allowedTableFunctions].join(', ')}.`
    case 'function':
      return reach.isForeign ? undefined : ofFunction(use)
    case 'refused':
      return `${use.what} cannot be used here.`
    case 'column':
    case 'columns':
    case 'type':
    case 'alias':
      return undefined
    default:
      return use satisfies never
  }
}

/** Why a parsed text may not run; `undefined` if it may. Pure. */
export function refusalOf(tree: Node, reach: Reach): Refusal | undefined {
  const malformed = oneStatement(tree, reach.form)
  if (malformed !== undefined) return { sentence: malformed, at: undefined }
  for (const use of usesIn(queriesOf(tree), reach.isForeign ? asWritten : undefined)) {
    // In the parse tree, the call of a table function also appears as a function.
    const isCallOfSource = use.kind === 'function' && allowedTableFunctions.has(lowered(use.name)) && !use.qualified
    const sentence = isCallOfSource ? undefined : sentenceFor(use, reach)
    if (sentence !== undefined) return { sentence, at: use.offset }
  }
  return undefined
}
