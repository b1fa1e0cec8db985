import type { TableMessage } from '@assay/contracts'
import type { Condition, Documents } from '@assay/documents'
import type { CommandHandler } from '@assay/event-store'
import { type Clock, isoTime } from '@assay/service-kit'
import { isAssayError } from '@assay/service-kit/errors'
import { policies, policyAggregate } from '../policy/aggregate.ts'

const pageSize = 500

interface Deletion {
  reason: string
  /** ISO 8601 UTC. */
  deletedAt: string | undefined
}

const isComparison: Condition = { field: 'rightAssetId', from: 1 }

function reasonOf(uid: string, deletedWith: TableMessage['deletedWith']): string {
  if (deletedWith === undefined) return `A crawl no longer found ${uid}, which it compares.`
  return `${deletedWith === 'view' ? 'The view that it checks' : 'The assembly of its asset'} was deleted.`
}

/**
 * Disables policies that can no longer run because their assembly or view was deleted, and comparisons of a table that a
 * crawl no longer found. They stay disabled if the table returns. History stays.
 */
export function createDisabling(deps: { documents: Documents; handler: CommandHandler; clock: Clock }) {
  const { documents, handler, clock } = deps

  async function disable(tenant: string, id: number, { reason, deletedAt }: Deletion): Promise<void> {
    const at = isoTime(clock.now())
    // The message may be delivered again after the table has returned and a user has enabled the policy.
    const command = { kind: 'DisablePolicy' as const, reason, unlessEnabledAfter: deletedAt, at, by: 'system' }
    try {
      await handler.handle(policyAggregate, { tenant, id, command, context: { actor: 'system' } })
    } catch (error) {
      // The policy was archived in the meantime, so it does not run anyway.
      if (!isAssayError(error, 'unprocessable')) throw error
    }
  }

  async function disableAll(tenant: string, of: readonly Condition[], deletion: Deletion): Promise<void> {
    // Pages by id, because documents of policies that were just disabled may still say ENABLED.
    for (let above = 0; ; ) {
      const where = [...of, { field: 'status', is: 'ENABLED' }, { field: 'id', from: above + 1 }]
      const found = await documents.find(policies, tenant, { where, size: pageSize })
      for (const { answer } of found.documents) await disable(tenant, answer.rule.id, deletion)
      const last = found.documents.at(-1)
      if (last === undefined || found.documents.length < pageSize) return
      above = last.answer.rule.id
    }
  }

  return async (tenant: string, { assetId, uid, isDeleted, deletedWith, deletedAt }: TableMessage): Promise<void> => {
    if (!isDeleted && deletedWith === undefined) return
    const reason = reasonOf(uid, deletedWith)
    // A table that is only missing may return, so policies on it alone stay enabled, and their runs say that it is missing.
    const left = [{ field: 'assetId', is: assetId }, ...(deletedWith === undefined ? [isComparison] : [])]
    await disableAll(tenant, left, { reason, deletedAt })
    await disableAll(tenant, [{ field: 'rightAssetId', is: assetId }], { reason, deletedAt })
  }
}
