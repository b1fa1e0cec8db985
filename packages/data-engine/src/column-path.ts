import { formatType } from './types/format-type.ts'
import { parseType } from './types/parse-type.ts'

/** A column, or a field of a structure. */
export interface ColumnPath {
  /** The name of the column, or of the column that contains the field. */
  column: string
  /** Names of the nested fields, outermost first. Empty for the column itself. */
  fields: string[]
  dataType: string
}

interface Named {
  name: string
  dataType: string
}

/** Maximum length of a path. */
const longestPath = 10_000

const unquoted = (text: string) => (text.startsWith('"') ? text.slice(1, -1).replaceAll('""', '"') : text)

/** The names of a path such as `address.city` or `"home address".city`; null if it is not a path. */
function namesOf(path: string): string[] | null {
  const names: string[] = []
  let rest = path
  for (;;) {
    const [name] = /^(?:"(?:[^"]|"")+"|[^".]+)/.exec(rest) ?? []
    if (name === undefined) return null
    names.push(unquoted(name))
    rest = rest.slice(name.length)
    if (rest === '') return names
    if (!rest.startsWith('.')) return null
    rest = rest.slice(1)
  }
}

/** The fields of a structure type, such as `STRUCT(city VARCHAR, "house no" BIGINT)`; none for other types. */
function fieldsOf(dataType: string): Named[] {
  const type = parseType(dataType)
  return type.kind === 'struct'
    ? type.fields.map(({ name, type: inner }) => ({ name, dataType: formatType(inner) }))
    : []
}

/**
 * Resolves the name of a column or, if no column has this name, the path to a field: names separated by points, from
 * the column inwards. A name that contains points or quotes is in double quotes. `pick`: finds a name among others;
 * default: the same name.
 */
export function findColumnPath(
  columns: readonly Named[],
  name: string,
  pick: (named: readonly Named[], name: string) => Named | undefined = (named, wanted) =>
    named.find((one) => one.name === wanted),
): ColumnPath | undefined {
  const whole = pick(columns, name)
  if (whole !== undefined) return { column: whole.name, fields: [], dataType: whole.dataType }
  const [first, ...inner] = name.length > longestPath ? [] : (namesOf(name) ?? [])
  const column = first === undefined ? undefined : pick(columns, first)
  if (column === undefined) return undefined
  let { dataType } = column
  const fields: string[] = []
  for (const one of inner) {
    const field = pick(fieldsOf(dataType), one)
    if (field === undefined) return undefined
    fields.push(field.name)
    dataType = field.dataType
  }
  return { column: column.name, fields, dataType }
}
