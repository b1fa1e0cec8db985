import { distributed, engineServiceVariables, lineageVariables, whole } from '@assay/hosting'
import { z } from 'zod'

/** The environment of the execution service in the distributed form. */
export const executionConfig = z
  .object({
    ...engineServiceVariables,
    ...lineageVariables,
    ASSAY_RUN_TIMEOUT_MINUTES: whole(60, 1, 1440),
    ASSAY_RUN_MAX_MINUTES: whole(240, 1, 1440),
    /** Days to keep rows of runs. */
    ASSAY_RETENTION_ROWS: whole(30, 1, 36_500),
    ASSAY_RUN_TEMP_MB: whole(10_240, 1, 10_485_760),
  })
  .superRefine(distributed)
