import { tagRevisions } from '@assay/catalog-copies'
import type { Collection, Documents } from '@assay/documents'
import type { CopyRevisions } from '@assay/event-store'
import { executionTagCopies, executionTemplates, executionVariables } from '../references/copies.ts'
import { executionAssetSettings } from './asset-settings.ts'
import { executionPolicies } from './policies.ts'

/**
 * The revisions of the copies of policies, and of the catalog's streams that runs and checks read besides tables. The ids
 * of the documents are those of the streams.
 */
export function copyRevisions(documents: Pick<Documents, 'get' | 'find'>): CopyRevisions {
  const revisionIn =
    <T>(collection: Collection<T>) =>
    async (tenant: string, id: string) =>
      (await documents.get(collection, tenant, Number(id)))?.source.revision
  return {
    policy: revisionIn(executionPolicies),
    assetconfig: revisionIn(executionAssetSettings),
    udfvariables: revisionIn(executionVariables),
    udftemplate: revisionIn(executionTemplates),
    ...tagRevisions(documents, executionTagCopies),
  }
}
