import { adminOperations } from '@assay/contracts'
import { type Route, route } from '@assay/service-kit'

/** What client libraries ask before anything else. */
export function clientRoutes({ version, buildDate }: { version: string; buildDate?: string | undefined }): Route[] {
  const build = { buildVersion: version, buildDate: buildDate ?? null }
  return [
    route(adminOperations.getBuildDetails, async () => ({ body: build })),
    route(adminOperations.getCompatibleVersions, async () => ({
      body: { versions: { minVersion: '2.0.0', maxVersion: '99.0.0' } },
    })),
  ]
}
