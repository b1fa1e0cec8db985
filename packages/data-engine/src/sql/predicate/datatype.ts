import { AssayError } from '@assay/service-kit/errors'
import { checkableType } from '../../types/checkable-type.ts'
import type { Column } from './column.ts'

/** True if the column's value cannot be cast to `dataType` without loss. */
export function notOfType(column: Column, dataType: string): string {
  const { dialect } = column
  const type = checkableType(dataType)
  if (type === undefined) throw new AssayError('invalid', `"${dataType}" is not a type that can be checked.`)
  if (type.kind === 'text' || dialect.typeName(type) === column.dataType) return 'false'
  const isOther =
    column.type.kind === 'text' ? `NOT ${dialect.isOf(column.text, type)}` : dialect.isChanged(column, type)
  return `(${column.presence} IS NOT NULL AND ${isOther})`
}
