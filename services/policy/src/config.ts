import { busVariables, distributed, processVariables, serviceUrl, storeVariables } from '@assay/hosting'
import { z } from 'zod'

/** The environment of the policy service as a separate process. */
export const policyConfig = z
  .object({
    ...processVariables,
    ...storeVariables,
    ...busVariables,
    ASSAY_EXECUTION_URL: serviceUrl,
    ASSAY_SCHEDULE_CONTRACT: z.enum(['guide', 'interface']).default('guide'),
  })
  .superRefine(distributed)
