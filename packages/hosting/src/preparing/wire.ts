import { itemRecord, policyType } from '@assay/contracts'
import { metric, sqlText } from '@assay/data-engine'
import { z } from 'zod'
import type { PreparedDefinition } from './prepare.ts'

/** Not part of the table of operations, so the gateway does not forward it. */
export const preparePath = '/internal/prepare'

/** The identity token contains the tenant. */
export const prepareRequest = z.object({
  assetId: z.int().optional(),
  locator: z.unknown(),
  filter: sqlText.optional(),
  metrics: z.array(metric).max(2000),
  items: z.array(itemRecord).max(1000).optional(),
  guarded: z
    .object({
      filter: z.string().nullable(),
      marker: z.record(z.string(), z.unknown()).nullable(),
      items: z.array(itemRecord).max(1000),
    })
    .optional(),
  learns: policyType.optional(),
  comparesWith: z.int().optional(),
  referenced: z.literal(true).optional(),
  seen: z.array(z.string()).optional(),
  caller: z.string().optional(),
})

const prepared: z.ZodType<PreparedDefinition> = z.object({
  columns: z.array(z.object({ name: z.string(), dataType: z.string() })),
  filterError: z.string().nullable(),
  metricErrors: z.array(z.object({ id: z.number(), message: z.string() })),
  itemProblems: z.array(z.object({ id: z.number(), path: z.string(), message: z.string() })).optional(),
  protectedParts: z.object({ filter: z.boolean(), marker: z.boolean(), items: z.array(z.number()) }).optional(),
  baseline: z.string().optional(),
  hasProfile: z.boolean().optional(),
  referenceAssetId: z.int().optional(),
})

export const prepareAnswer = z.object({ prepared: prepared.nullable() })
