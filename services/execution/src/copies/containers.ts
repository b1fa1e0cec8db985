import { type ContainerMessage, containerMessage } from '@assay/contracts'
import { type DocumentPut, type Documents, defineCollection, documentPut } from '@assay/documents'
import { z } from 'zod'
import { hierarchyPathOf } from './hierarchy-path.ts'
import { executionTables } from './tables.ts'

const containerCopy = z.object({ container: containerMessage })
/** A folder, a database or a schema, from the catalog's last message about it. */
export type ContainerCopy = z.infer<typeof containerCopy>

export const executionContainers = defineCollection<ContainerCopy>({
  name: 'execution_containers',
  version: 2,
  idType: 'integer',
  schema: containerCopy,
  fields: {
    uid: { type: 'text', of: ({ container }) => container.uid },
  },
})

/** Stores a container from its message. `position`: the position of this state in the catalog's log. Pure. */
export function containerCopyPut(tenant: string, container: ContainerMessage, position: string): DocumentPut {
  const source = { revision: container.revision, position }
  return documentPut(executionContainers, tenant, container.assetId, { container }, source)
}

const tablesAtOnce = 1_000

/** Ids of the live tables below a container; `undefined` if the container is unknown. */
export async function tablesBelow(
  documents: Pick<Documents, 'get' | 'find'>,
  tenant: string,
  named: { id: number } | { uid: string },
): Promise<number[] | undefined> {
  const found =
    'id' in named
      ? (await documents.get(executionContainers, tenant, named.id))?.document
      : (await documents.find(executionContainers, tenant, { where: [{ field: 'uid', is: named.uid }], size: 1 }))
          .documents[0]
  if (found === undefined) return undefined
  const where = [{ field: 'hierarchyPath', prefix: hierarchyPathOf(found.container.path) }]
  const ids: number[] = []
  for (let page = 0; ; page += 1) {
    const tables = await documents.find(executionTables, tenant, { where, page, size: tablesAtOnce })
    ids.push(...tables.documents.map(({ table }) => table.assetId))
    if (tables.documents.length < tablesAtOnce) return ids
  }
}
