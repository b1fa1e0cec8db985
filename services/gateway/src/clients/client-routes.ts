import { adminOperations } from '@assay/contracts'
import { type Route, route } from '@assay/service-kit'

/**
 * The interface version that client libraries check. Older libraries need at least 2.12.0. It changes with the
 * interface, not with Assay's own version.
 */
const interfaceVersion = '2.12.0'

/** The requests that client libraries send first. */
export function clientRoutes({ buildDate }: { buildDate?: string | undefined }): Route[] {
  const build = { buildVersion: interfaceVersion, buildDate: buildDate ?? null }
  return [
    route(adminOperations.getBuildDetails, async () => ({ body: build })),
    route(adminOperations.getCompatibleVersions, async () => ({
      body: { versions: { minVersion: '2.0.0', maxVersion: '99.0.0' } },
    })),
  ]
}
