import { distributed, engineServiceVariables } from '@assay/hosting'
import { z } from 'zod'

/** The environment of the sampling service as a separate process. */
export const samplingConfig = z.object(engineServiceVariables).superRefine(distributed)
