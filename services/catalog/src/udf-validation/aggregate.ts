import { udfTemplate } from '@assay/contracts'
import { type DocumentPut, defineCollection, documentPut, type Source } from '@assay/documents'
import type { Aggregate } from '@assay/event-store'
import { claimed, openWorkPut, waiting } from '@assay/work'
import { z } from 'zod'
import {
  decideUdfValidation,
  evolveUdfValidation,
  initialUdfValidation,
  type UdfValidationCommand,
  type UdfValidationEvent,
  type UdfValidationState,
} from './udf-validation.ts'

const { code, udfType, udfDataType } = udfTemplate.shape
const udfValidationDocument = z.object({
  status: z.enum(['open', 'successful', 'failed']),
  work: z.discriminatedUnion('status', [waiting, claimed]).nullable(),
  requestId: z.string(),
  udfId: z.int(),
  task: z.object({
    definition: z.object({ code, udfType, udfDataType }),
    variables: z.array(z.object({ key: z.string(), value: z.string().nullable(), isColumnVariable: z.boolean() })),
    assetId: z.int().nullable(),
    selectedColumns: z.array(z.string()),
    hiddenColumns: z.array(z.string()),
    sourceIds: z.array(z.int()).exactOptional(),
  }),
  testData: z.string().nullable(),
  showsProtected: z.boolean(),
  artifact: z.string().nullable(),
  error: z.string().nullable(),
  requestedAt: z.string(),
})
export type UdfValidationDocument = z.infer<typeof udfValidationDocument>

/** One per validation of a template. */
export const udfValidations = defineCollection<UdfValidationDocument>({
  name: 'udf_validations',
  version: 5,
  idType: 'text',
  schema: udfValidationDocument,
  fields: {
    requestedAt: { type: 'text', of: ({ requestedAt }) => requestedAt },
  },
})

/** The `kind` of validations in `openWork`. */
export const validationWork = 'validation'

function openPuts(state: UdfValidationState, tenant: string, source: Source): DocumentPut[] {
  if (state.status === 'absent' || state.status === 'removed') return []
  const { requestId: id, requestedAt: since, work } = state
  return [openWorkPut({ kind: validationWork, tenant, id, since }, work, source)]
}

/** One validation of a template: streams `<tenant>/udfvalidation-<requestId>`. */
export const udfValidationAggregate: Aggregate<UdfValidationState, UdfValidationCommand, UdfValidationEvent> = {
  category: 'udfvalidation',
  decider: { initialState: initialUdfValidation, decide: decideUdfValidation, evolve: evolveUdfValidation },
  schemaVersion: 1,
  documents: (state, { tenant }, source) =>
    state.status === 'absent'
      ? []
      : [
          documentPut(udfValidations, tenant, state.requestId, state.status === 'removed' ? null : state, source),
          ...openPuts(state, tenant, source),
        ],
}
