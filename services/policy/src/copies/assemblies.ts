import { type AssemblyMessage, assemblyMessage } from '@assay/contracts'
import { type DocumentPut, defineCollection, documentPut } from '@assay/documents'
import { z } from 'zod'

const assemblyCopy = assemblyMessage.omit({ source: true }).extend({ position: z.string() })
type AssemblyCopy = z.infer<typeof assemblyCopy>

/** The assemblies, from the catalog's last messages about them. `position`: of that state in the catalog's log. */
export const policyAssemblies = defineCollection<AssemblyCopy>({
  name: 'policy_assemblies',
  version: 2,
  idType: 'integer',
  schema: assemblyCopy,
  fields: { position: { type: 'text', of: ({ position }) => position } },
})

/** The document that a message puts. Pure. */
export function assemblyCopyPut(
  tenant: string,
  { source: _, ...message }: AssemblyMessage,
  position: string,
): DocumentPut {
  return documentPut(
    policyAssemblies,
    tenant,
    message.assemblyId,
    { ...message, position },
    { revision: message.revision, position },
  )
}
