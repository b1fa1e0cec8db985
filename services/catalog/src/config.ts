import { busVariables, distributed, engineVariables, processVariables, storeVariables } from '@assay/hosting'
import { z } from 'zod'

/** The environment of the catalog as a process of its own. */
export const catalogConfig = z
  .object({ ...processVariables, ...storeVariables, ...busVariables, ...engineVariables })
  .superRefine(distributed)
