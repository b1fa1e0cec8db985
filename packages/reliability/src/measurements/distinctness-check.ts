import { itemKinds } from '@assay/contracts'
import { measurement } from './measurement.ts'

export const distinctnessCheck = measurement(itemKinds.DISTINCTNESS_CHECK, {
  plan: ({ frame, column }) => ({ kind: 'distinct', ...frame, column: column().name }),
})
