import type { Documents, Source } from '@assay/documents'
import { AssayError } from '@assay/service-kit/errors'
import { type AssemblyDocument, assemblies } from '../assembly/aggregate.ts'

/** The assembly with that id or name. Throws `not-found` also for a deleted one. A name of only digits cannot exist. */
export async function findAssembly(
  documents: Documents,
  tenant: string,
  identifier: string,
): Promise<{ document: AssemblyDocument; source?: Source }> {
  if (/^[1-9]\d{0,14}$/.test(identifier)) {
    const stored = await documents.get(assemblies, tenant, Number(identifier))
    if (stored?.document.status === 'active') return stored
  } else {
    const { documents: found } = await documents.find(assemblies, tenant, {
      where: [
        { field: 'name', is: identifier },
        { field: 'status', is: 'active' },
      ],
      size: 1,
    })
    if (found[0] !== undefined) return { document: found[0] }
  }
  throw new AssayError('not-found', 'There is no such assembly.')
}

/**
 * The UID prefix of the newest deleted assembly of that name: if it is created again, its assets return with their ids.
 */
export async function findFormerPrefix(
  documents: Documents,
  tenant: string,
  name: string,
): Promise<string | undefined> {
  const { documents: found } = await documents.find(assemblies, tenant, {
    where: [
      { field: 'name', is: name },
      { field: 'status', in: ['deleting', 'deleted'] },
    ],
    sort: [{ field: 'id', direction: 'desc' }],
    size: 1,
  })
  return found[0]?.uidPrefix
}
