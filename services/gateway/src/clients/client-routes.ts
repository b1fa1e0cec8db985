import { adminOperations } from '@assay/contracts'
import { type Route, route } from '@assay/service-kit'

/** What client libraries ask before anything else. */
export function clientRoutes({ version }: { version: string }): Route[] {
  return [
    route(adminOperations.getBuildDetails, async () => ({ body: { buildVersion: version, buildDate: null } })),
    route(adminOperations.getCompatibleVersions, async () => ({
      body: { versions: { minVersion: '2.0.0', maxVersion: '99.0.0' } },
    })),
  ]
}
