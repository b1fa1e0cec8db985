import { itemKinds } from '@assay/contracts'
import { measurement } from './measurement.ts'
import { readsNoValues } from './reads.ts'

export const distinctnessCheck = measurement(itemKinds.DISTINCTNESS_CHECK, {
  reads: readsNoValues,
  plan: ({ frame, column }) => ({ kind: 'distinct', ...frame, column: column().name }),
})
