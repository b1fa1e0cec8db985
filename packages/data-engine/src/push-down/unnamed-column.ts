import { AssayError } from '@assay/service-kit/errors'

/** The error of a SELECT with a column that has no name. `index`: its place, from 0. */
export const unnamedColumn = (index: number) =>
  new AssayError('invalid', `Name the column ${index + 1} of the SELECT, such as count(*) AS orders.`)
