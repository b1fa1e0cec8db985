import { defineTagCollections, tagPut } from '@assay/catalog-copies'
import {
  type TagMessage,
  type UdfTemplateMessage,
  type UdfVariablesMessage,
  udfTemplateMessage,
  udfVariablesMessage,
} from '@assay/contracts'
import { type DocumentPut, type Documents, defineCollection, documentPut } from '@assay/documents'
import { z } from 'zod'

/** Reads local read models. */
export type Copies = Pick<Documents, 'get' | 'find'>

/** Tags and their associations with assets, from the catalog's last messages. */
export const executionTagCopies = defineTagCollections('execution')

const variablesCopy = z.object({ asset: udfVariablesMessage })
/** UDF variables, one document per asset. */
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

/** A path as text, unique for its names. */
export function pathKey(path: readonly string[]): string {
  return JSON.stringify(path)
}

/** Stores a tag or an association from its message. `position`: its log position in the catalog. Pure. */
export function tagCopyPut(tenant: string, message: TagMessage, position: string): DocumentPut {
  return tagPut(executionTagCopies, tenant, message, position)
}

export function variablesCopyPut(tenant: string, asset: UdfVariablesMessage, position: string): DocumentPut {
  return documentPut(executionVariables, tenant, asset.assetId, { asset }, { revision: asset.revision, position })
}

export function templateCopyPut(tenant: string, template: UdfTemplateMessage, position: string): DocumentPut {
  const source = { revision: template.revision, position }
  return documentPut(executionTemplates, tenant, template.udfId, { template }, source)
}
