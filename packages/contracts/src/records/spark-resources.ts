import { z } from 'zod'
import { optional, plainText } from '../values/scalars.ts'

const count = optional(z.int().nonnegative())
const factor = optional(z.number().nonnegative())
const text = optional(plainText(1000))

/** Resources of a cluster for a run of an external engine. Each block is for one kind of cluster. */
export const sparkResources = z.object({
  additionalConfiguration: optional(z.record(plainText(1000), plainText(10_000))),
  yunikorn: optional(
    z.object({
      minExecutors: count,
      maxExecutors: count,
      executorCores: count,
      driverCores: count,
      executorMemory: text,
      driverMemory: text,
      driverLimitCores: text,
      driverMemoryOverhead: text,
      driverRequestCores: text,
      executorLimitCores: text,
      executorMemoryOverhead: text,
      executorRequestCores: text,
      driverMemoryOverheadFactor: factor,
      executorMemoryOverheadFactor: factor,
    }),
  ),
  databricks: optional(
    z.object({ clusterDriverType: text, clusterWorkerType: text, minWorkers: count, maxWorkers: count }),
  ),
  dataproc: optional(
    z.object({ clusterMasterType: text, clusterWorkerType: text, numMasterNodes: count, numWorkerNodes: count }),
  ),
  livy: optional(
    z.object({
      driverCores: count,
      executorCores: count,
      numExecutors: count,
      driverMemory: text,
      executorMemory: text,
    }),
  ),
})

const block = z.record(z.string(), z.unknown()).nullable()

/** The resources as clients read them; null for unset fields. */
export const sparkResourceRecord = z
  .object({
    invalidFields: z.array(z.string()),
    additionalConfiguration: block,
    yunikorn: block,
    databricks: block,
    dataproc: block,
    livy: block,
  })
  .meta({ id: 'SparkResourceConfig' })
export type SparkResourceRecord = z.infer<typeof sparkResourceRecord>

function blockOf(value: unknown): Record<string, unknown> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null
}

/**
 * The record of stored resources. Does not validate them: Assay does not use them, and clients only read them back. Pure.
 */
export function sparkResourceRecordOf(stored: unknown): SparkResourceRecord | null {
  const blocks = blockOf(stored)
  if (blocks === null) return null
  return {
    invalidFields: [],
    additionalConfiguration: blockOf(blocks.additionalConfiguration),
    yunikorn: blockOf(blocks.yunikorn),
    databricks: blockOf(blocks.databricks),
    dataproc: blockOf(blocks.dataproc),
    livy: blockOf(blocks.livy),
  }
}
