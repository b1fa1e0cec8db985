import { defineCollection, documentPut } from '@assay/documents'
import type { Aggregate } from '@assay/event-store'
import { z } from 'zod'
import {
  decideInferredTypes,
  evolveInferredTypes,
  type InferredTypesEvent,
  type InferredTypesState,
  initialInferredTypes,
  type KeepInferredTypes,
} from './inferred-types.ts'

const inferredTypesDocument = z.object({
  tableId: z.int(),
  basis: z.string(),
  columns: z.array(z.object({ columnId: z.int(), name: z.string(), dataType: z.string(), nullable: z.boolean() })),
  at: z.string(),
})
export type InferredTypesDocument = z.infer<typeof inferredTypesDocument>

/** One per table whose values were inspected. */
export const inferredTypes = defineCollection<InferredTypesDocument>({
  name: 'inferred_types',
  version: 1,
  idType: 'integer',
  schema: inferredTypesDocument,
  fields: {},
})

/** Types of values: streams `<tenant>/inferredtypes-<tableId>`. */
export const inferredTypesAggregate: Aggregate<InferredTypesState, KeepInferredTypes, InferredTypesEvent> = {
  category: 'inferredtypes',
  decider: { initialState: initialInferredTypes, decide: decideInferredTypes, evolve: evolveInferredTypes },
  schemaVersion: 1,
  documents: (state, { tenant }, source) =>
    state.tableId === 0 ? [] : [documentPut(inferredTypes, tenant, state.tableId, state, source)],
  wholeDocument: (documents, { tenant, id }) => documents.get(inferredTypes, tenant, Number(id)),
}
