import { itemKinds } from '@assay/contracts'
import { ImpossibleDefinition } from '../definition.ts'
import { type ItemToPlan, measurement } from './measurement.ts'
import { readsNoValues } from './reads.ts'

/** The expected tag, and the column that must have it (`null` means the asset). */
function expected({ item, value, column, columns, frame }: ItemToPlan<{ tag: string }>) {
  const { tag } = value()
  const columnName = item.columnName === null ? null : column().name
  if (frame.filter !== undefined)
    throw new ImpossibleDefinition('filter', 'does not apply to TAG_MATCH, which reads no rows')
  if (columnName !== null && !columns.some(({ name }) => name === columnName))
    throw new ImpossibleDefinition(
      'columnName',
      `'${columnName}' is a field of a column; TAG_MATCH checks whole columns`,
    )
  return { tag, columnName }
}

export const tagMatch = measurement(itemKinds.TAG_MATCH, {
  reads: readsNoValues,
  needs: ({ tag }) => ({ tags: [tag] }),
  checkForm: expected,
  plan(input) {
    const { tag, columnName } = expected(input)
    const carried = input.references.carriesTag(tag, columnName)
    if (carried === undefined) throw new ImpossibleDefinition('value.tag', `there is no tag '${tag}'`)
    return { id: input.item.id, kind: 'tag', carried }
  },
})
