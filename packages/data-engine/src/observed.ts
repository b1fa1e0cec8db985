import { isWithinSpan, type Metrics, recordsSpans, traced } from '@assay/service-kit'
import type { DataEngine, KeptRowFiles } from './port.ts'

function reportQueues(engine: Pick<DataEngine, 'queues'>, metrics: Metrics): void {
  const calls = metrics.gauge({
    name: 'assay_engine_calls',
    help: 'Calls to the data engine of this process. State: running, waiting.',
    labels: ['queue', 'state'],
  })
  const ages = metrics.gauge({
    name: 'assay_engine_oldest_waiting_seconds',
    help: 'Waiting time of the oldest call in a queue of the data engine; 0 if none waits.',
    labels: ['queue'],
  })
  for (const { name: queue } of engine.queues()) {
    const now = () => engine.queues().find(({ name }) => name === queue)
    calls.read({ queue, state: 'running' }, () => now()?.running ?? 0)
    calls.read({ queue, state: 'waiting' }, () => now()?.waiting ?? 0)
    ages.read({ queue }, () => (now()?.oldestWaitMs ?? 0) / 1000)
  }
}

async function asSpan<T>(operation: string, work: () => Promise<T>): Promise<T> {
  if (!isWithinSpan()) return work()
  const attributes = () => ({ 'assay.engine.operation': operation })
  return traced(`engine ${operation}`, { kind: 'internal', attributes }, work)
}

/** The engine, with metrics of its queues. If the process records spans, each call also gets a span. */
export function observedEngine<E extends DataEngine & KeptRowFiles>(engine: E, metrics: Metrics): E {
  reportQueues(engine, metrics)
  if (!recordsSpans()) return engine
  return {
    ...engine,
    probe: (...call) => asSpan('probe', () => engine.probe(...call)),
    touches: (...call) => asSpan('touches', () => engine.touches(...call)),
    prepare: (...call) => asSpan('prepare', () => engine.prepare(...call)),
    sample: (...call) => asSpan('sample', () => engine.sample(...call)),
    measure: (...call) => asSpan('measure', () => engine.measure(...call)),
    compare: (...call) => asSpan('compare', () => engine.compare(...call)),
    describe: (...call) => asSpan('describe', () => engine.describe(...call)),
    lastChange: (...call) => asSpan('last-change', () => engine.lastChange(...call)),
    profile: (...call) => asSpan('profile', () => engine.profile(...call)),
    measurePeriods: (...call) => asSpan('measure-periods', () => engine.measurePeriods(...call)),
    rewrite: (...call) => asSpan('rewrite', () => engine.rewrite(...call)),
  }
}
