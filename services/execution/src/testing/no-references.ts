import type { References } from '@assay/reliability'

/** Nothing but the asset's own columns. */
export const noReferences: References = {
  variables: {},
  udf: () => undefined,
  lookup: () => undefined,
  tables: () => [],
  carriesTag: () => undefined,
}
