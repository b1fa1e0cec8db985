import { distributed, serviceUrl, serviceVariables } from '@assay/hosting'
import { z } from 'zod'

/** The environment of the policy service as a separate process. */
export const policyConfig = z
  .object({
    ...serviceVariables,
    ASSAY_EXECUTION_URL: serviceUrl,
    ASSAY_SCHEDULE_CONTRACT: z.enum(['guide', 'interface']).default('guide'),
  })
  .superRefine(distributed)
