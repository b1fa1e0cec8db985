import {
  artifactVariables,
  busVariables,
  distributed,
  engineVariables,
  processVariables,
  storeVariables,
} from '@assay/hosting'
import { z } from 'zod'

/** The environment of the sampling service as a separate process. */
export const samplingConfig = z
  .object({ ...processVariables, ...storeVariables, ...busVariables, ...artifactVariables, ...engineVariables })
  .superRefine(distributed)
