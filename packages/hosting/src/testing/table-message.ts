import type { TableMessage } from '@assay/contracts'

interface Column {
  name: string
  dataType: string
  /** Last part of its UID. Default: the name. */
  uidPart?: string
}

/**
 * Table 11, the file orders.csv of the assembly `sales`, as the catalog publishes it. Its columns are 12, 13 and so on.
 */
export function tableMessageOf(columns: readonly Column[], changes: Partial<TableMessage> = {}): TableMessage {
  return {
    revision: 0,
    assetId: 11,
    uid: 'sales.orders.csv',
    name: 'orders.csv',
    assemblyId: 1,
    assemblyName: 'sales',
    sourceTypeId: 1,
    sourceTypeName: 'FILE',
    locator: {
      kind: 'files',
      root: '/data',
      pattern: '/data/orders.csv',
      format: 'CSV',
      partitioned: false,
      columns: columns.map(({ name, dataType }) => ({ name, dataType })),
      fingerprint: 'none',
    },
    columns: columns.map(({ name, dataType, uidPart = name }, index) => ({
      id: 12 + index,
      uid: `sales.orders.csv.${uidPart}`,
      name,
      dataType,
    })),
    isDeleted: false,
    ...changes,
  }
}
