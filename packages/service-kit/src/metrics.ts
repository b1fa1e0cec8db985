import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

export type Labels<L extends string> = Readonly<Record<L, string>>

/** There must be few labels, with a bounded number of values: never a tenant, a key, an id or a path. */
interface About<L extends string> {
  /** Ends with the unit: `_seconds`, `_bytes`. The name of a counter ends with `_total`. */
  name: string
  help: string
  labels?: readonly L[]
}

export interface MetricCounter<L extends string> {
  add(labels: Labels<L>, by?: number): void
}

export interface MetricHistogram<L extends string> {
  observe(labels: Labels<L>, value: number): void
}

export interface MetricGauge<L extends string> {
  /** Calls `value` at every scrape. Replaces an earlier function for the same labels. */
  read(labels: Labels<L>, value: () => number): void
}

/**
 * The metrics of one process, in the text format of Prometheus. Registering a metric again returns the same one, so
 * that several services of one process can share it.
 */
export interface Metrics {
  counter<L extends string = never>(about: About<L>): MetricCounter<L>
  /** Values are in seconds unless `name` says otherwise. `buckets`: upper bounds; default: 1 ms to 10 s. */
  histogram<L extends string = never>(about: About<L> & { buckets?: readonly number[] }): MetricHistogram<L>
  gauge<L extends string = never>(about: About<L>): MetricGauge<L>
  /** CPU, memory, open files, heap, garbage collection and event loop of this process, under their usual names. */
  measureProcess(): void
  text(): Promise<string>
}

export const metricsContentType = Registry.PROMETHEUS_CONTENT_TYPE

const requestBuckets = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
/** Buckets for work that takes from milliseconds to hours. */
export const workBuckets = [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600, 14_400]

/** Creates a separate registry. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  const counters = new Map<string, Counter>()
  const histograms = new Map<string, Histogram>()
  const gauges = new Map<string, MetricGauge<string>>()

  function once<T>(known: Map<string, T>, name: string, make: () => T): T {
    const metric = known.get(name) ?? make()
    known.set(name, metric)
    return metric
  }

  const optionsOf = ({ name, help, labels = [] }: About<string>) => ({
    name,
    help,
    labelNames: [...labels],
    registers: [registry],
  })

  function makeGauge(about: About<string>): MetricGauge<string> {
    const readers = new Map<string, { labels: Labels<string>; value: () => number }>()
    new Gauge({
      ...optionsOf(about),
      collect() {
        for (const { labels, value } of readers.values()) this.set(labels, value())
      },
    })
    return {
      read: (labels, value) => void readers.set(JSON.stringify(labels), { labels, value }),
    }
  }

  return {
    counter(about) {
      const counter = once(counters, about.name, () => new Counter(optionsOf(about)))
      return { add: (labels, by = 1) => counter.inc(labels, by) }
    },
    histogram(about) {
      const { buckets = requestBuckets } = about
      const make = () => new Histogram({ ...optionsOf(about), buckets: [...buckets] })
      const histogram = once(histograms, about.name, make)
      return { observe: (labels, value) => histogram.observe(labels, value) }
    },
    gauge: (about) => once(gauges, about.name, () => makeGauge(about)),
    measureProcess: () => collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 20 }),
    text: () => registry.metrics(),
  }
}
