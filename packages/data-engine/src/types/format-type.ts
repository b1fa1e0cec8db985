import { quoteName, textLiteral } from '../sql/quote.ts'
import type { LogicalType } from './logical-type.ts'
import { typesByName } from './type-names.ts'

const keyOf = (type: LogicalType) =>
  JSON.stringify(Object.entries(type).sort(([one], [other]) => (one < other ? -1 : 1)))
const names: ReadonlyMap<string, string> = new Map([...typesByName].map(([name, type]) => [keyOf(type), name]))

/** DuckDB's name of a type. `parseType` parses it to the same type. */
export function formatType(type: LogicalType): string {
  switch (type.kind) {
    case 'decimal':
      return `DECIMAL(${type.precision},${type.scale})`
    case 'list':
      return `${formatType(type.of)}[${type.size ?? ''}]`
    case 'struct':
      return `STRUCT(${type.fields.map((field) => `${quoteName(field.name)} ${formatType(field.type)}`).join(', ')})`
    case 'map':
      return `MAP(${formatType(type.key)}, ${formatType(type.value)})`
    case 'other':
      return type.name
    case 'text':
      return type.values === undefined ? 'VARCHAR' : `ENUM(${type.values.map(textLiteral).join(', ')})`
    default:
      return names.get(keyOf(type)) ?? ''
  }
}
