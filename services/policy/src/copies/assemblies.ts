import { type AssemblyMessage, assemblyMessage } from '@assay/contracts'
import { type DocumentPut, defineCollection, documentPut } from '@assay/documents'

/** The assemblies, from the catalog's last messages about them. */
export const policyAssemblies = defineCollection<AssemblyMessage>({
  name: 'policy_assemblies',
  version: 1,
  idType: 'integer',
  schema: assemblyMessage,
  fields: {},
})

/** The document that a message puts. Pure. */
export function assemblyCopyPut(tenant: string, message: AssemblyMessage, position: string): DocumentPut {
  return documentPut(policyAssemblies, tenant, message.assemblyId, message, { revision: message.revision, position })
}
