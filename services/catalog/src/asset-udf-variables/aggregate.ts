import { defineCollection, documentPut } from '@assay/documents'
import type { Aggregate } from '@assay/event-store'
import { z } from 'zod'
import {
  decideUdfVariables,
  evolveUdfVariables,
  initialUdfVariables,
  type UdfVariableCommand,
  type UdfVariableEvent,
  type UdfVariablesState,
} from './asset-udf-variables.ts'

const udfVariablesDocument = z.object({
  assetId: z.int(),
  path: z.array(z.string()).nullable(),
  variables: z.array(
    z.object({ id: z.int(), key: z.string(), value: z.string(), createdAt: z.string(), updatedAt: z.string() }),
  ),
})
export type UdfVariablesDocument = z.infer<typeof udfVariablesDocument>

/** One per asset that has or had variables. */
export const udfVariables = defineCollection<UdfVariablesDocument>({
  name: 'udf_variables',
  version: 1,
  idType: 'integer',
  schema: udfVariablesDocument,
  fields: {},
})

/** The variables of an asset: streams `<tenant>/udfvariables-<assetId>`. */
export const udfVariablesAggregate: Aggregate<UdfVariablesState, UdfVariableCommand, UdfVariableEvent> = {
  category: 'udfvariables',
  decider: { initialState: initialUdfVariables, decide: decideUdfVariables, evolve: evolveUdfVariables },
  schemaVersion: 1,
  documents: (state, { tenant }, source) =>
    state.assetId === 0 ? [] : [documentPut(udfVariables, tenant, state.assetId, state, source)],
  wholeDocument: (documents, { tenant, id }) => documents.get(udfVariables, tenant, Number(id)),
}
