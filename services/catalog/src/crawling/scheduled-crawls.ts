import type { CommandHandler } from '@assay/event-store'
import { type Clock, isoTime, type Logger } from '@assay/service-kit'
import { isAssayError } from '@assay/service-kit/errors'
import { type DueKind, decideDue } from '@assay/work'
import { assemblyAggregate, crawlDue } from '../assembly/aggregate.ts'
import { scheduleOf } from '../assembly/assembly.ts'
import type { Crawler } from './crawler.ts'

const context = { actor: 'system' }

/** Starts due crawls of assemblies, and records skipped ones. */
export function scheduledCrawls(deps: {
  handler: CommandHandler
  crawler: Pick<Crawler, 'start'>
  clock: Clock
  logger: Logger
}): DueKind {
  const { handler, crawler, clock, logger } = deps
  return {
    kind: crawlDue,
    async handle(tenant, id) {
      const { state } = await handler.load(assemblyAggregate, tenant, id)
      if (state.status !== 'active' || state.due === null || Date.parse(state.due) > clock.now()) return true
      const schedule = scheduleOf(state.definition)
      if (schedule === null) return true
      const decision = decideDue(schedule, state.due, clock.now())
      const { scheduled } = decision
      const skip = async (reason: string) => {
        const command = { type: 'SkipCrawl', at: isoTime(clock.now()), by: context.actor, scheduled, reason } as const
        await handler.handle(assemblyAggregate, { tenant, id, command, context })
        logger.info({ tenant, assemblyId: id, nominal: scheduled.nominal, reason }, 'A scheduled crawl was skipped.')
      }
      if (decision.kind === 'skip') {
        await skip(decision.reason)
        return true
      }
      try {
        await crawler.start(tenant, id, context, scheduled)
      } catch (error) {
        if (isAssayError(error, 'taken')) return true
        if (!isAssayError(error, 'unprocessable')) throw error
        await skip(error.message)
      }
      return true
    },
  }
}
