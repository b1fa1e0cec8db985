import { executedVersionMessage, internalTopics, tableMessage, udfTemplateMessage } from '@assay/contracts'
import type { DocumentPut, Documents } from '@assay/documents'
import type { ReadYourWrites } from '@assay/event-store'
import { copiesOf, type FedCopies, type MessageBus, type Subscription, taking } from '@assay/message-bus'
import { executedVersionPut, executedVersions } from './executed-versions.ts'
import { policyTables, tableCopyPut } from './tables.ts'
import { policyTemplates, templateCopyPut } from './templates.ts'

/**
 * Keeps the local read models of tables, UDF template names and executed versions. They accept only newer states, so
 * messages may be repeated or late. An unreadable message is parked. `onAssemblyDeleted`: a table's assembly was
 * deleted.
 */
export function feedCopies(deps: {
  bus: MessageBus
  documents: Documents
  tables: ReadYourWrites
  versions: ReadYourWrites
  onAssemblyDeleted: (tenant: string, assetId: number) => Promise<void>
}): Promise<Subscription> {
  const takeTable = taking(tableMessage, (table, { tenant, position }) =>
    deps.tables.follow(tenant, position, async () => {
      await deps.documents.put([tableCopyPut(tenant, table, position)])
      if (table.assemblyDeleted === true) await deps.onAssemblyDeleted(tenant, table.assetId)
    }),
  )
  const takeVersion = taking(executedVersionMessage, (version, { tenant, position }) =>
    deps.versions.follow(tenant, position, () => deps.documents.put([executedVersionPut(tenant, version, position)])),
  )

  const takeTemplate = taking(udfTemplateMessage, (template, { tenant, position }) =>
    deps.documents.put([templateCopyPut(tenant, template, position)]),
  )
  const takes = new Map<string, typeof takeVersion>([
    [internalTopics.tables, takeTable],
    [internalTopics.udfTemplates, takeTemplate],
  ])

  return deps.bus.subscribe({
    topics: [internalTopics.tables, internalTopics.versions, internalTopics.udfTemplates],
    group: 'policy',
    handle: (delivery) => (takes.get(delivery.topic) ?? takeVersion)(delivery),
  })
}

/** Local read models that a rebuild reads from the bus again. */
export const policyCopies: readonly FedCopies<DocumentPut>[] = [
  copiesOf({ collection: policyTables, topic: internalTopics.tables, schema: tableMessage, putOf: tableCopyPut }),
  copiesOf({
    collection: executedVersions,
    topic: internalTopics.versions,
    schema: executedVersionMessage,
    putOf: executedVersionPut,
  }),
  copiesOf({
    collection: policyTemplates,
    topic: internalTopics.udfTemplates,
    schema: udfTemplateMessage,
    putOf: templateCopyPut,
  }),
]
