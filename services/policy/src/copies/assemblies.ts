import { type AssemblyMessage, assemblyMessage } from '@assay/contracts'
import { type DocumentPut, defineCollection, documentPut } from '@assay/documents'
import type { z } from 'zod'

const assemblyCopy = assemblyMessage.omit({ source: true })
type AssemblyCopy = z.infer<typeof assemblyCopy>

/** The assemblies, from the catalog's last messages about them. */
export const policyAssemblies = defineCollection<AssemblyCopy>({
  name: 'policy_assemblies',
  version: 3,
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
  const { assemblyId, revision } = message
  return documentPut(policyAssemblies, tenant, assemblyId, message, { revision, position })
}
