import { hostname, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Artifacts } from '@assay/artifacts'
import { type Clock, type NewId, type Outages, recordsSpans } from '@assay/service-kit'
import { aroundArtifacts } from './around.ts'
import { given } from './stores.ts'
import { bothAround, tracing } from './tracing.ts'
import { watching } from './watching.ts'

/** The variables of `artifactVariables`, parsed. */
export interface ArtifactChoice {
  ASSAY_ARTIFACTS: 'filesystem' | 's3'
  ASSAY_RESULTS_DIR?: string | undefined
  ASSAY_S3_BUCKET?: string | undefined
  ASSAY_S3_PREFIX?: string | undefined
  ASSAY_S3_REGION: string
  ASSAY_S3_ENDPOINT?: string | undefined
  ASSAY_S3_PATH_STYLE: 'on' | 'off'
  ASSAY_S3_ACCESS_KEY_ID?: string | undefined
  ASSAY_S3_SECRET_ACCESS_KEY?: string | undefined
}

function credentialsOf(choice: ArtifactChoice) {
  const { ASSAY_S3_ACCESS_KEY_ID: accessKeyId, ASSAY_S3_SECRET_ACCESS_KEY: secretAccessKey } = choice
  return accessKeyId === undefined || secretAccessKey === undefined ? undefined : { accessKeyId, secretAccessKey }
}

/**
 * The store of results: a folder on a volume that all replicas mount, or a bucket (with a local folder for uploads).
 * Only the driver of the chosen store is loaded. `isAlone`: no other machine uses the folder. Throws `unavailable` if
 * the bucket cannot be reached or used.
 */
export async function chooseArtifacts(
  choice: ArtifactChoice,
  deps: { newId: NewId; clock: Clock; isAlone?: boolean; outages?: Outages | undefined },
): Promise<Artifacts> {
  const { newId, clock, isAlone = false } = deps
  const host = isAlone ? undefined : hostname().replace(/[^A-Za-z0-9.]/g, '.')
  if (choice.ASSAY_ARTIFACTS === 'filesystem') {
    const { createFilesystemArtifacts } = await import('@assay/artifacts/filesystem')
    const root = resolve(given(choice.ASSAY_RESULTS_DIR, 'ASSAY_RESULTS_DIR'))
    return createFilesystemArtifacts({ root, newId, ...(host === undefined ? {} : { sharedWith: { host, clock } }) })
  }
  const { createS3Artifacts } = await import('@assay/artifacts/s3')
  const inS3 = await createS3Artifacts({
    s3: {
      bucket: given(choice.ASSAY_S3_BUCKET, 'ASSAY_S3_BUCKET'),
      region: choice.ASSAY_S3_REGION,
      endpoint: choice.ASSAY_S3_ENDPOINT,
      pathStyle: choice.ASSAY_S3_PATH_STYLE === 'on',
      credentials: credentialsOf(choice),
    },
    prefix: choice.ASSAY_S3_PREFIX,
    stagingRoot: resolve(choice.ASSAY_RESULTS_DIR ?? join(tmpdir(), 'assay-results')),
    host,
    newId,
    clock,
  })
  const watched = watching(deps.outages, 'S3')
  return aroundArtifacts(inS3, recordsSpans() ? bothAround(tracing('s3'), watched) : watched)
}
