/** Counters, gauges and histograms in Prometheus text. Labels are few and bounded: never a tenant, a key or a path. */
export interface Metrics {
  count(name: string, labels?: Labels, by?: number): void
  /** Seconds, in buckets from 1 ms to 10 s. */
  observe(name: string, labels: Labels, seconds: number): void
  /** Read when the text is made. */
  gauge(name: string, read: () => number): void
  text(): string
}

export type Labels = Readonly<Record<string, string>>

const unlabelled: Labels = {}

const buckets = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10]

interface Histogram {
  counts: number[]
  sum: number
  count: number
}

function labelText(labels: Labels, more: Labels = {}): string {
  const parts = Object.entries({ ...labels, ...more }).map(
    ([key, value]) => `${key}="${value.replace(/[\\"\n]/g, '_')}"`,
  )
  return parts.length === 0 ? '' : `{${parts.join(',')}}`
}

/** A registry of its own for each process. */
export function createMetrics(): Metrics {
  // Whoever counts often keeps its labels: their text is then made once.
  const texts = new WeakMap<Labels, string>()
  function keyOf(labels: Labels): string {
    const known = texts.get(labels)
    if (known !== undefined) return known
    const text = labelText(labels)
    texts.set(labels, text)
    return text
  }
  const counters = new Map<string, Map<string, number>>()
  const histograms = new Map<string, Map<string, { labels: Labels; histogram: Histogram }>>()
  const gauges = new Map<string, () => number>()
  return {
    count(name, labels = unlabelled, by = 1) {
      const series = counters.get(name) ?? new Map<string, number>()
      counters.set(name, series)
      const key = keyOf(labels)
      series.set(key, (series.get(key) ?? 0) + by)
    },
    observe(name, labels, seconds) {
      const series = histograms.get(name) ?? new Map<string, { labels: Labels; histogram: Histogram }>()
      histograms.set(name, series)
      const key = keyOf(labels)
      const known = series.get(key)
      const histogram = known?.histogram ?? { counts: buckets.map(() => 0), sum: 0, count: 0 }
      if (known === undefined) series.set(key, { labels, histogram })
      histogram.sum += seconds
      histogram.count += 1
      for (let index = buckets.length - 1; index >= 0 && seconds <= (buckets[index] ?? 0); index -= 1)
        histogram.counts[index] = (histogram.counts[index] ?? 0) + 1
    },
    gauge(name, read) {
      gauges.set(name, read)
    },
    text() {
      const lines: string[] = []
      for (const [name, series] of counters) {
        lines.push(`# TYPE ${name} counter`, ...[...series].map(([labels, value]) => `${name}${labels} ${value}`))
      }
      for (const [name, read] of gauges) lines.push(`# TYPE ${name} gauge`, `${name} ${read()}`)
      for (const [name, series] of histograms) {
        lines.push(`# TYPE ${name} histogram`)
        for (const { labels, histogram } of series.values()) {
          for (const [index, limit] of buckets.entries()) {
            lines.push(`${name}_bucket${labelText(labels, { le: String(limit) })} ${histogram.counts[index] ?? 0}`)
          }
          lines.push(
            `${name}_bucket${labelText(labels, { le: '+Inf' })} ${histogram.count}`,
            `${name}_sum${labelText(labels)} ${histogram.sum}`,
            `${name}_count${labelText(labels)} ${histogram.count}`,
          )
        }
      }
      return `${lines.join('\n')}\n`
    },
  }
}
