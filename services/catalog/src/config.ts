import {
  artifactVariables,
  busVariables,
  distributed,
  engineVariables,
  processVariables,
  storeVariables,
} from '@assay/hosting'
import { z } from 'zod'

/** The environment of the catalog as a separate process. */
export const catalogConfig = z
  .object({ ...processVariables, ...storeVariables, ...busVariables, ...artifactVariables, ...engineVariables })
  .superRefine(distributed)
