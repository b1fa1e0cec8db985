import { type AssemblyMessage, assemblyMessage } from '@assay/contracts'
import { type DocumentPut, defineCollection, documentPut } from '@assay/documents'

const assemblyCopy = assemblyMessage.omit({ source: true })
type AssemblyCopy = Omit<AssemblyMessage, 'source'>

/** The assemblies, from the catalog's last messages about them. */
export const policyAssemblies = defineCollection<AssemblyCopy>({
  name: 'policy_assemblies',
  version: 1,
  idType: 'integer',
  schema: assemblyCopy,
  fields: {},
})

/** The document that a message puts. Pure. */
export function assemblyCopyPut(
  tenant: string,
  { source: _, ...message }: AssemblyMessage,
  position: string,
): DocumentPut {
  return documentPut(policyAssemblies, tenant, message.assemblyId, message, { revision: message.revision, position })
}
