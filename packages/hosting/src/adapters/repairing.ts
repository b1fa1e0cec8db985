import {
  type AnyAggregate,
  createRepair,
  type MakeProcessor,
  type Processor,
  type ProcessorOptions,
} from '@assay/event-store'
import type { Clock, Logger, Timers } from '@assay/service-kit'
import { messageOf } from '@assay/service-kit/errors'
import type { Stores } from './stores.ts'

/** A processor that puts documents whose writer died between append and put. */
export function createRepairing(deps: {
  service: string
  stores: Pick<Stores, 'store' | 'documents' | 'checkpoints'>
  aggregates: readonly AnyAggregate[]
  makeProcessor: MakeProcessor
  clock: Clock
  timers: Timers
  logger: Logger
}): Processor {
  const { service, stores, aggregates, makeProcessor, clock, timers, logger } = deps
  const { store, documents, checkpoints } = stores
  const repair = createRepair({ store, documents, aggregates })
  const onError: ProcessorOptions['onError'] = (error, { event, parked }) =>
    logger.warn({ error: messageOf(error), stream: event?.stream, parked }, 'read models could not be repaired')
  return makeProcessor({ name: `${service}-repair`, store, checkpoints, ...repair, onError, clock, timers })
}
