import type { Documents } from '@assay/documents'
import { notificationAssemblies } from '../copies/targets.ts'
import type { WatchedContent } from './trigger.ts'

/** The content with the name of its assembly in its title and text, if the name is known. */
export async function withAssemblyName(
  documents: Pick<Documents, 'get'>,
  tenant: string,
  content: WatchedContent,
): Promise<WatchedContent> {
  const { assemblyId, kind, title, text } = content
  if ((kind !== 'CRAWL_FAILED' && kind !== 'ASSET_DELETED') || assemblyId === undefined) return content
  const name = (await documents.get(notificationAssemblies, tenant, assemblyId))?.document.name
  if (name == null) return content
  if (kind === 'ASSET_DELETED')
    return { ...content, text: text.replace(`assembly ${assemblyId}`, () => `assembly '${name}'`) }
  return { ...content, title: title.replace(`assembly ${assemblyId}`, () => name) }
}
