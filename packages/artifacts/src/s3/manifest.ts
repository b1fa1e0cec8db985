import { AssayError } from '@assay/service-kit/errors'
import { z } from 'zod'

/**
 * The manifest that makes a committed folder visible: its files, and the id in their object keys. Readers never see
 * files without a manifest.
 */
const manifest = z.object({
  version: z.literal(1),
  id: z.string().min(1),
  files: z.array(z.object({ name: z.string().min(1), sizeBytes: z.int().nonnegative() })),
})
export type Manifest = z.output<typeof manifest>

/**
 * A note that objects of `id` may exist without a manifest. It is written before an upload or a removal, and removed
 * afterwards.
 */
const pending = z.object({ version: z.literal(1), id: z.string().min(1), key: z.string().min(1) })
export type Pending = z.output<typeof pending>

export function parseManifest(text: string): Manifest {
  try {
    return manifest.parse(JSON.parse(text))
  } catch (cause) {
    throw new AssayError('internal', 'The manifest of a stored result cannot be read.', { cause })
  }
}

/** `undefined` if the text is not such a note. */
export function parsePending(text: string): Pending | undefined {
  try {
    return pending.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** The maximum length of object keys (https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-keys.html). */
const maxObjectKey = 1024

/**
 * Names of objects. An artifact's key cannot contain `!`, so these names never collide with folders of artifacts.
 * `prefix`: empty, or ends with `/`.
 */
export function createLayout(prefix: string) {
  const manifests = `${prefix}manifests/`
  const manifestName = '/!manifest.json'
  return {
    manifest: (key: string) => `${manifests}${key}${manifestName}`,
    /** All manifests of the artifact at `key` and of the artifacts below it. */
    manifestsFrom: (key: string) => `${manifests}${key}/`,
    /** The artifact's key, from the object key of its manifest. */
    keyOf: (object: string) =>
      object.endsWith(manifestName) ? object.slice(manifests.length, -manifestName.length) : undefined,
    file: (key: string, id: string, name: string) => `${prefix}files/${key}/!${id}/${name}`,
    filesOf: (key: string, id: string) => `${prefix}files/${key}/!${id}/`,
    pending: (tenant: string, id: string) => `${prefix}pending/${tenant}/${id}.json`,
    allPending: `${prefix}pending/`,
    checkLengths(keys: readonly string[]): void {
      if (keys.every((key) => Buffer.byteLength(key) <= maxObjectKey)) return
      throw new AssayError('invalid', 'The key of this artifact is too long for an object store. Give a shorter one.')
    },
  }
}
export type Layout = ReturnType<typeof createLayout>
