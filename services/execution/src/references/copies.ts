import {
  type TagMessage,
  tagMessage,
  type UdfTemplateMessage,
  type UdfVariablesMessage,
  udfTemplateMessage,
  udfVariablesMessage,
} from '@assay/contracts'
import { type DocumentPut, type Documents, defineCollection, documentPut } from '@assay/documents'
import { z } from 'zod'

/** What the copies are read by. */
export type Copies = Pick<Documents, 'get' | 'find'>

const tagCopy = z.object({ tag: tagMessage.options[0], position: z.string() })
/** Tags as the catalog told of them last; `position` is that of the catalog's log. */
export const executionTags = defineCollection<z.infer<typeof tagCopy>>({
  name: 'execution_tags',
  version: 1,
  idType: 'integer',
  schema: tagCopy,
  fields: {
    name: { type: 'text', of: ({ tag }) => tag.name },
    position: { type: 'text', of: ({ position }) => position },
  },
})

const associationCopy = z.object({ association: tagMessage.options[1], position: z.string() })
/** Which assets carry which tags. */
export const executionAssociations = defineCollection<z.infer<typeof associationCopy>>({
  name: 'execution_tag_associations',
  version: 1,
  idType: 'integer',
  schema: associationCopy,
  fields: {
    tableId: { type: 'integer', of: ({ association }) => association.tableId },
    present: { type: 'boolean', of: ({ association }) => association.present },
    position: { type: 'text', of: ({ position }) => position },
  },
})

const variablesCopy = z.object({ asset: udfVariablesMessage })
/** UDF variables, all of one asset together. */
export const executionVariables = defineCollection<z.infer<typeof variablesCopy>>({
  name: 'execution_udf_variables',
  version: 1,
  idType: 'integer',
  schema: variablesCopy,
  fields: { path: { type: 'text', of: ({ asset }) => (asset.path === null ? null : pathKey(asset.path)) } },
})

const templateCopy = z.object({ template: udfTemplateMessage })
/** UDF templates. */
export const executionTemplates = defineCollection<z.infer<typeof templateCopy>>({
  name: 'execution_udf_templates',
  version: 1,
  idType: 'integer',
  schema: templateCopy,
  fields: {},
})

/** A path as one text, the same for the same names only. */
export function pathKey(path: readonly string[]): string {
  return JSON.stringify(path)
}

/** The copies that messages make. `position`: of the state that they tell of. Pure. */
export function tagCopyPut(tenant: string, message: TagMessage, position: string): DocumentPut {
  const source = { revision: message.revision, position }
  return message.kind === 'tag'
    ? documentPut(executionTags, tenant, message.tagId, { tag: message, position }, source)
    : documentPut(executionAssociations, tenant, message.associationId, { association: message, position }, source)
}

export function variablesCopyPut(tenant: string, asset: UdfVariablesMessage, position: string): DocumentPut {
  return documentPut(executionVariables, tenant, asset.assetId, { asset }, { revision: asset.revision, position })
}

export function templateCopyPut(tenant: string, template: UdfTemplateMessage, position: string): DocumentPut {
  const source = { revision: template.revision, position }
  return documentPut(executionTemplates, tenant, template.udfId, { template }, source)
}
