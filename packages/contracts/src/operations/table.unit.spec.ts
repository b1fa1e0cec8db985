import { expect, test } from 'vitest'
import { operations } from './table.ts'

test('every operation requires a permission, except those for any key and those for your own keys', () => {
  const open = operations.filter((operation) => operation.permissions.length === 0).map(({ id }) => id)
  expect(open.toSorted()).toEqual(['deleteUserApiKey', 'getBuildDetails', 'getCompatibleVersions', 'listUserApiKeys'])
})

const base = '/catalog-server/api'

test('calls of existing clients require the published permissions', () => {
  const published: [call: string, permissions: string[]][] = [
    [`GET ${base}/rules`, ['ASSET_VIEW', 'POLICY_VIEW']],
    [`GET ${base}/rules/{}`, ['ASSET_VIEW', 'POLICY_VIEW']],
    [`GET ${base}/crawler/{}`, ['ASSET_VIEW']],
    [`POST ${base}/crawler/{}`, ['ASSET_VIEW', 'ASSEMBLY_MODIFY']],
    [`POST ${base}/rules/data-cadence/{}/executions`, ['ASSET_VIEW', 'POLICY_EXECUTE']],
    [`PUT ${base}/rules/execution/{}/cancel`, ['ASSET_VIEW', 'POLICY_EXECUTE']],
    [`PUT ${base}/rules/{}/enable`, ['ASSET_VIEW', 'POLICY_MODIFY']],
    [`GET ${base}/sdk/compatible-versions`, []],
    ['GET /admin/api/build-details', []],
    [`GET ${base}/assets/{}/profile`, ['ASSET_VIEW']],
    [`GET ${base}/assets/{}/profile/{}`, ['ASSET_VIEW']],
    [`POST ${base}/assets/{}/profile`, ['ASSET_VIEW', 'POLICY_EXECUTE']],
    [`PUT ${base}/assets/profile/{}/cancel`, ['ASSET_VIEW', 'POLICY_EXECUTE']],
  ]
  const required = new Map(
    operations.map(({ method, path, permissions }) => [`${method} ${path.replace(/\{\w+\}/g, '{}')}`, permissions]),
  )
  expect(published.map(([call]) => [call, required.get(call)])).toEqual(published)
})
