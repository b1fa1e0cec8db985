import type { UdfTemplateMessage } from '@assay/contracts'
import { type DocumentPut, defineCollection, documentPut } from '@assay/documents'
import { z } from 'zod'

const templateCopy = z.object({ udfId: z.int(), name: z.string(), isDeleted: z.boolean() })

/** Names of UDF templates, by their ids. */
export const policyTemplates = defineCollection<z.infer<typeof templateCopy>>({
  name: 'policy_udf_templates',
  version: 1,
  idType: 'integer',
  schema: templateCopy,
  fields: { name: { type: 'text', of: ({ name, isDeleted }) => (isDeleted ? null : name) } },
})

/** The document that a message puts. Pure. */
export function templateCopyPut(tenant: string, message: UdfTemplateMessage, position: string): DocumentPut {
  const { udfId, name, isDeleted, revision } = message
  return documentPut(policyTemplates, tenant, udfId, { udfId, name, isDeleted }, { revision, position })
}
