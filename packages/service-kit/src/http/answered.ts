import type { Labels, Metrics } from '../metrics.ts'

/** Counts answered requests. */
export type CountAnswered = (operation: string, status: number, seconds: number) => void

interface Of {
  timed: Labels
  /** By status. */
  counted: Map<number, Labels>
}

/** Labels are made once: operations and statuses are few. */
export function createAnswered(metrics: Pick<Metrics, 'count' | 'observe'>): CountAnswered {
  const known = new Map<string, Of>()
  return (operation, status, seconds) => {
    const of = known.get(operation) ?? { timed: { operation }, counted: new Map() }
    known.set(operation, of)
    const labels = of.counted.get(status) ?? { operation, status: String(status) }
    of.counted.set(status, labels)
    metrics.count('assay_http_requests_total', labels)
    metrics.observe('assay_http_request_seconds', of.timed, seconds)
  }
}
