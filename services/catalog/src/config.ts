import { distributed, engineServiceVariables } from '@assay/hosting'
import { z } from 'zod'

/** The environment of the catalog as a separate process. */
export const catalogConfig = z.object(engineServiceVariables).superRefine(distributed)
