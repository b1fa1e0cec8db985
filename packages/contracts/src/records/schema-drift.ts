import { z } from 'zod'
import { id } from '../values/scalars.ts'
import { driftSeverities } from './policy-families.ts'

export const schemaChangeKinds = [
  'ADDED',
  'REMOVED',
  'RENAMED',
  'TYPE_WIDENED',
  'TYPE_NARROWED',
  'TYPE_CHANGED',
  'NULLABILITY',
  'ORDER',
] as const
export type SchemaChangeKind = (typeof schemaChangeKinds)[number]

/**
 * One change of a schema. `name`: the column, by its new name. `from`, `to`: types of added and removed columns and of
 * changed types; names of a renamed column; `NULL` or `NOT NULL`; places from 1. `null` if there was or is no column.
 */
export const schemaChange = z
  .object({
    kind: z.enum(schemaChangeKinds),
    name: z.string(),
    from: z.string().nullable(),
    to: z.string().nullable(),
    severity: z.enum(driftSeverities),
    /**
     * Why a column counts as renamed; null for other changes. `similarity`: how similar the content is, 0 to 1; null
     * without ASSET_PROTECTED_VIEW if the table has protected columns.
     */
    evidence: z.object({ samePosition: z.boolean(), similarity: z.number().nullable() }).nullable(),
  })
  .meta({ id: 'SchemaChange' })
export type SchemaChange = z.infer<typeof schemaChange>

/** The changes that an item found. Names of renamed columns are in neither of the first two lists. */
export const schemaDrift = z
  .object({
    addedNames: z.array(z.string()),
    deletedNames: z.array(z.string()),
    modifiedNames: z.array(z.string()),
    addedCount: z.int(),
    deletedCount: z.int(),
    modifiedCount: z.int(),
    childAssetTypes: z.array(z.object({ id, name: z.string() })).max(0),
    backingAssetId: id,
    leftSnapshotData: z.null(),
    rightSnapshotData: z.null(),
    changes: z.array(schemaChange),
  })
  .meta({ id: 'SchemaDrift' })
export type SchemaDrift = z.infer<typeof schemaDrift>
