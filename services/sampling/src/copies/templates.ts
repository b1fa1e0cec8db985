import { type UdfTemplateMessage, udfTemplateMessage } from '@assay/contracts'
import { type DocumentPut, defineCollection, documentPut } from '@assay/documents'
import { z } from 'zod'

const templateCopy = z.object({ template: udfTemplateMessage })
/** A UDF template, from the catalog's latest message about it. */
export type TemplateCopy = z.infer<typeof templateCopy>
export const samplingTemplates = defineCollection<TemplateCopy>({
  name: 'sampling_udf_templates',
  version: 2,
  idType: 'integer',
  schema: templateCopy,
  fields: {},
})

/** The document that a message puts. `position`: the position of that state in the catalog's log. Pure. */
export function templateCopyPut(tenant: string, template: UdfTemplateMessage, position: string): DocumentPut {
  const source = { revision: template.revision, position }
  return documentPut(samplingTemplates, tenant, template.udfId, { template }, source)
}
