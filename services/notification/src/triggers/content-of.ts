import { severityOfKind } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import type { NotificationContent } from '../notification/notification.ts'
import { severityFor } from '../routing/payload-rules.ts'
import { withAssemblyName } from './assembly-name.ts'
import type { WatchedContent } from './trigger.ts'

/** The content that recipients get: with names and the severity that its policy sets. */
export async function contentOf(
  documents: Pick<Documents, 'get'>,
  tenant: string,
  each: WatchedContent,
): Promise<NotificationContent> {
  const named = await withAssemblyName(documents, tenant, each)
  const {
    watchedId: _,
    assemblyId: __,
    isOwn: ___,
    created: ____,
    tag: _____,
    incident,
    severity = severityOfKind(each.kind),
    ...content
  } = named
  const { kind, policyId } = content
  return {
    ...content,
    ...(incident?.id === undefined ? {} : { incidentId: incident.id }),
    severity: await severityFor(documents, tenant, { kind, policyId, severity }),
  }
}
