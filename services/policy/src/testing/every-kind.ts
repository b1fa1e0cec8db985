import { type Operation, type PolicyType, policyKinds } from '@assay/contracts'
import type { KindOperations } from '../kinds.ts'
import { type Harness, tableFixture } from './harness.ts'

/** Table 21, with the columns of `tableFixture` under other names: the second side of comparisons. */
export const copyFixture = () =>
  tableFixture({
    assetId: 21,
    uid: 'sales.copy.csv',
    name: 'copy.csv',
    columns: [
      { id: 22, uid: 'sales.copy.csv.key', name: 'key', dataType: 'BIGINT' },
      { id: 23, uid: 'sales.copy.csv.total', name: 'total', dataType: 'DOUBLE' },
    ],
  })

export const one = { backingAsset: { tableAssetId: 11 } }
export const two = { leftBackingAsset: { tableAssetId: 11 }, rightBackingAsset: { tableAssetUid: 'sales.copy.csv' } }
export const join = { leftColumnName: 'id', rightColumnName: 'key', useForJoining: true }
export const mean = { columnName: 'amount', metricType: 'MEAN', driftThreshold: 0.1 }
export const freshness = { measurementType: 'DATA_FRESHNESS', columnName: 'at', value: { maxAge: 'PT36H' } }

/** A body that creates a policy of each type. */
const bodies: Record<PolicyType, { rule: object; items?: object[]; mappings?: object[] }> = {
  DATA_QUALITY: { rule: one, items: [{ measurementType: 'NULL_VALUES', columnName: 'note' }] },
  RECONCILIATION: { rule: two, items: [{ measurementType: 'EQUALITY' }], mappings: [join] },
  EQUALITY: { rule: two, items: [{ measurementType: 'ROW_COUNT_EQUALITY' }] },
  DATA_DRIFT: { rule: one, items: [mean] },
  SCHEMA_DRIFT: { rule: { ...one, severity: { added: 'IGNORE' } } },
  PROFILE_ANOMALY: { rule: { ...one, sensitivity: 'HIGH' }, items: [{ columns: ['amount'] }] },
  AUTO_ANOMALY: { rule: one },
  DATA_CADENCE: { rule: one, items: [{ measurementType: 'RECORD_COUNT_DRIFT' }] },
  DATA_FRESHNESS: { rule: one, items: [freshness] },
}

export const operations: Record<PolicyType, KindOperations> = policyKinds

/** Requests on policies of any type, on the tables of `tableFixture` and `copyFixture`. */
export function everyKind(harness: () => Harness) {
  /** Named `a <type>` by default; `rule` and `rest` replace parts of the type's body. */
  const create = (type: PolicyType, rule: object = {}, rest: object = {}, tenant = 'default') => {
    const body = bodies[type]
    const sent = { ...body, ...rest, rule: { name: `a ${type}`, ...body.rule, ...rule } }
    return harness().call(operations[type].create, { body: sent, tenant })
  }
  return {
    create,
    idOf: async (type: PolicyType) => (await create(type)).rule.id,
    call: <O extends Operation>(operation: O, params: object, body?: unknown, query: object = {}) =>
      harness().call(operation, { params, body, query }),
  }
}
