import { z } from 'zod'
import { id, isoTime, optional, plainText } from '../values/scalars.ts'
import { asset } from './asset.ts'

const queryType = z.enum(['SQL_QUERY', 'FILTER', 'AGGREGATION_PIPELINE'])
const notEmpty = (max: number) => plainText(max).refine((text) => text.trim() !== '', 'must not be empty')
const viewName = notEmpty(500)

const sqlViewDetails = z.object({
  query: notEmpty(100_000),
  description: notEmpty(10_000),
  queryType,
  tableAlias: optional(plainText(256)),
})
export type SqlViewDetails = z.infer<typeof sqlViewDetails>
/** Existing clients send this field. It is not used: the engine derives the columns of a view from its query. */
const sqlViewColumns = z
  .array(z.object({ name: notEmpty(1000), type: plainText(1000), nullable: z.boolean() }))
  .min(1, 'must not be empty')
  .max(10_000)

export const createSqlViewRequest = z.object({
  data: z.object({
    asset: z.object({
      name: viewName,
      assemblyId: id,
      uid: optional(plainText(4000)),
      description: optional(plainText(10_000)),
      backingAssetUID: optional(plainText(4000)),
    }),
    details: sqlViewDetails,
    schema: optional(sqlViewColumns),
  }),
})
export const updateSqlViewRequest = z.object({
  data: z.object({ details: sqlViewDetails, schema: optional(sqlViewColumns), name: optional(viewName) }),
})

export const customAssetAnswer = z
  .object({
    customAsset: z.object({
      id,
      asset,
      query: z.string(),
      queryType,
      description: z.string(),
      tableAlias: z.string().nullable(),
      backingAssetId: id.nullable(),
      createdAt: isoTime,
      updatedAt: isoTime,
    }),
  })
  .meta({ id: 'CustomAssetResponse' })
export type CustomAsset = z.infer<typeof customAssetAnswer>['customAsset']
export const sqlViewAnswer = z.object({ data: z.object({ ...customAssetAnswer.shape }) })
