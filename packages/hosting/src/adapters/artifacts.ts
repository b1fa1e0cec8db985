import { hostname } from 'node:os'
import { resolve } from 'node:path'
import type { Artifacts } from '@assay/artifacts'
import type { Clock, NewId } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { given } from './stores.ts'

/** The variables of `artifactVariables`. */
export interface ArtifactChoice {
  ASSAY_ARTIFACTS: 'filesystem' | 's3'
  ASSAY_RESULTS_DIR?: string | undefined
}

/** Where results go: a folder on a volume that all replicas mount. `not-implemented` for s3. */
export async function chooseArtifacts(
  choice: ArtifactChoice,
  deps: { newId: NewId; clock: Clock },
): Promise<Artifacts> {
  if (choice.ASSAY_ARTIFACTS === 's3')
    throw new AssayError(
      'not-implemented',
      'Results cannot go to s3 in this version. Set ASSAY_ARTIFACTS to filesystem.',
    )
  const { createFilesystemArtifacts } = await import('@assay/artifacts/filesystem')
  const host = hostname().replace(/[^A-Za-z0-9.]/g, '.')
  return createFilesystemArtifacts({
    root: resolve(given(choice.ASSAY_RESULTS_DIR, 'ASSAY_RESULTS_DIR')),
    newId: deps.newId,
    sharedWith: { host, clock: deps.clock },
  })
}
