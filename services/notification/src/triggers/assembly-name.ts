import type { Documents } from '@assay/documents'
import { notificationAssemblies } from '../copies/targets.ts'
import type { WatchedContent } from './trigger.ts'

/** The content with the name of its assembly in its title, if the name is known. */
export async function withAssemblyName(
  documents: Pick<Documents, 'get'>,
  tenant: string,
  content: WatchedContent,
): Promise<WatchedContent> {
  const { assemblyId, kind, title } = content
  if (kind !== 'CRAWL_FAILED' || assemblyId === undefined) return content
  const name = (await documents.get(notificationAssemblies, tenant, assemblyId))?.document.name
  return name == null ? content : { ...content, title: title.replace(`assembly ${assemblyId}`, () => name) }
}
