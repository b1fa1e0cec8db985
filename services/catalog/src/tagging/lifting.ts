import type { Permission } from '@assay/contracts'
import { AssayError } from '@assay/service-kit/errors'
import { type KnownTag, tagNameOf } from '../tag/tag.ts'

/** Throws `forbidden` if the tag hides values from the key, which could read them once the tag no longer does. Pure. */
export function assertMayLift(
  tag: Pick<KnownTag, 'keyName' | 'value' | 'protectedData'>,
  permissions: ReadonlySet<Permission>,
): void {
  if (!tag.protectedData || permissions.has('ASSET_PROTECTED_VIEW')) return
  throw new AssayError(
    'forbidden',
    `Tag '${tagNameOf(tag)}' protects values. This key lacks the permission ASSET_PROTECTED_VIEW, which lifting the protection needs.`,
  )
}
