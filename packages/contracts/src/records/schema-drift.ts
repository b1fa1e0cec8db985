import { z } from 'zod'
import { id } from '../values/scalars.ts'
import { driftSeverities } from './policies/schema-drift.ts'

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
 * One change of a schema. `name`: the column, by its new name. `from` and `to`: for added and removed columns and for
 * changed types, the types; for renamed columns, the names; for changed nullability, `NULL` or `NOT NULL`; for moved
 * columns, positions from 1. `null` if there was or is no column.
 */
export const schemaChange = z
  .object({
    kind: z.enum(schemaChangeKinds),
    name: z.string(),
    from: z.string().nullable(),
    to: z.string().nullable(),
    severity: z.enum(driftSeverities),
    /**
     * Why a column counts as renamed; null for other changes. `similarity`: how similar the content is, 0 to 1. It is
     * null if the table has protected columns and the key lacks ASSET_PROTECTED_VIEW.
     */
    evidence: z.object({ samePosition: z.boolean(), similarity: z.number().nullable() }).nullable(),
  })
  .meta({ id: 'SchemaChange' })
export type SchemaChange = z.infer<typeof schemaChange>

/** The changes that an item found. The first two lists do not contain names of renamed columns. */
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
