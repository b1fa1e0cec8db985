import { AssayError } from '@assay/service-kit/errors'
import type { Dialect } from '../sql/dialect.ts'
import { raw } from '../sql/fragment.ts'
import type { Connection, Session } from './connection.ts'
import { type Padding, withoutPadding } from './without-padding.ts'

/**
 * The rows of a checked SELECT. `unnamed`: the names that the server gives to columns without a name, which statements
 * could not refer to; absent if it gives each its own. Throws `invalid` for such a column. Rejects if the server cannot
 * prepare the SELECT.
 */
export async function openSelect(
  connection: Connection,
  select: string,
  { dialect, unnamed, char }: { dialect: Dialect; unnamed?: RegExp; char?: Padding },
): Promise<Pick<Session, 'columns' | 'relation' | 'dialect'>> {
  const type = await connection.typeOf(raw(`SELECT * FROM (${select}) AS asset`))
  const columns = await type.described()
  const index = columns.findIndex(({ name }) => unnamed?.test(name))
  if (index >= 0)
    throw new AssayError('invalid', `Name the column ${index + 1} of the SELECT, such as count(*) AS orders.`)
  return { columns, relation: withoutPadding(`(${select})`, columns, char), dialect }
}
