import { udfTemplate } from '@assay/contracts'
import { defineCollection, documentPut } from '@assay/documents'
import type { Aggregate } from '@assay/event-store'
import { z } from 'zod'
import {
  decideUdfTemplate,
  evolveUdfTemplate,
  initialUdfTemplate,
  type UdfTemplateCommand,
  type UdfTemplateEvent,
  type UdfTemplateState,
} from './udf-template.ts'

const { name, description, code, language, udfType, udfDataType, isTemplate, isPackage, isMetadata, isLookup } =
  udfTemplate.shape
const { className, labels, packageId, referenceAssets } = udfTemplate.shape
const flags = { isTemplate, isPackage, isMetadata, isLookup }
const udfTemplateDocument = z.object({
  status: z.enum(['live', 'deleted']),
  id: z.int(),
  definition: z.object({
    ...{ name, description, code, language, udfType, udfDataType, className, labels, packageId, referenceAssets },
    ...flags,
    variables: z.array(z.object({ key: z.string(), value: z.string().nullable(), isColumnVariable: z.boolean() })),
  }),
  createdAt: z.string(),
  createdBy: z.string(),
  updatedAt: z.string(),
  lastUpdatedBy: z.string(),
})
export type UdfTemplateDocument = z.infer<typeof udfTemplateDocument>

/** One per existing template. */
export const udfTemplates = defineCollection<UdfTemplateDocument>({
  name: 'udf_templates',
  version: 1,
  idType: 'integer',
  schema: udfTemplateDocument,
  fields: {
    name: { type: 'text', of: ({ definition }) => definition.name },
    createdAt: { type: 'text', of: ({ createdAt }) => createdAt },
    updatedAt: { type: 'text', of: ({ updatedAt }) => updatedAt },
  },
})

/** A template: streams `<tenant>/udftemplate-<id>`. Its name is reserved. */
export const udfTemplateAggregate: Aggregate<UdfTemplateState, UdfTemplateCommand, UdfTemplateEvent> = {
  category: 'udftemplate',
  decider: { initialState: initialUdfTemplate, decide: decideUdfTemplate, evolve: evolveUdfTemplate },
  schemaVersion: 1,
  documents: (state, { tenant }, source) =>
    state.status === 'absent'
      ? []
      : [documentPut(udfTemplates, tenant, state.id, state.status === 'deleted' ? null : state, source)],
}
