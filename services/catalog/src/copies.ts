import type { Copies } from '@assay/catalog-copies'
import { policyUsePut, policyUses } from './policy-uses/policy-uses.ts'
import { watchCopies, watchCopyPut } from './watch-copies/watch-copies.ts'

/** Local read models of policies and watches. */
export const catalogCopies = {
  watches: { collections: [watchCopies], putOf: watchCopyPut },
  policies: { collections: [policyUses], putOf: policyUsePut },
} satisfies Copies
