import type { Documents } from '@assay/documents'
import type { CommandHandler } from '@assay/event-store'
import { type Clock, isoTime } from '@assay/service-kit'
import { isAssayError } from '@assay/service-kit/errors'
import { policies, policyAggregate } from '../policy/aggregate.ts'

const pageSize = 500

/** Disables policies that can no longer run because their assembly was deleted. History stays. */
export function createDisabling(deps: { documents: Documents; handler: CommandHandler; clock: Clock }) {
  const { documents, handler, clock } = deps

  async function disable(tenant: string, id: number): Promise<void> {
    const reason = 'The assembly of its asset was deleted.'
    const command = { kind: 'DisablePolicy' as const, reason, at: isoTime(clock.now()), by: 'system' }
    try {
      await handler.handle(policyAggregate, { tenant, id, command, context: { actor: 'system' } })
    } catch (error) {
      // Archived in the meantime: it does not run anyway.
      if (!isAssayError(error, 'unprocessable')) throw error
    }
  }

  async function disableAll(tenant: string, field: 'assetId' | 'rightAssetId', assetId: number): Promise<void> {
    for (;;) {
      const found = await documents.find(policies, tenant, {
        where: [
          { field, is: assetId },
          { field: 'status', is: 'ENABLED' },
        ],
        size: pageSize,
      })
      for (const { answer } of found.documents) await disable(tenant, answer.rule.id)
      if (found.documents.length < pageSize) return
    }
  }

  return async (tenant: string, assetId: number): Promise<void> => {
    await disableAll(tenant, 'assetId', assetId)
    await disableAll(tenant, 'rightAssetId', assetId)
  }
}
