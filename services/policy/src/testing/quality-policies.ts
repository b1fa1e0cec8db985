import { policyKinds } from '@assay/contracts'
import type { Harness } from './harness.ts'

const quality = policyKinds.DATA_QUALITY

/** An item that counts missing values of the column `note`. */
export const missing = { measurementType: 'MISSING_VALUES', columnName: 'note' }

/** Requests on data quality policies on the table of `tableFixture`, named `orders are sound` by default. */
export const qualityPolicies = (harness: () => Harness) => ({
  create: (rule: object = {}, items: object[] = [missing], tenant = 'default') =>
    harness().call(quality.create, {
      body: { rule: { name: 'orders are sound', backingAsset: { tableAssetId: 11 }, ...rule }, items },
      tenant,
    }),
  update: (id: number, body: object) => harness().call(quality.update, { params: { id }, body: { rule: {}, ...body } }),
  get: (identifier: string | number, query: object = {}) =>
    harness().call(quality.get, { params: { identifier }, query }),
  list: (query: object = {}) => harness().call(quality.list, { query }),
})
