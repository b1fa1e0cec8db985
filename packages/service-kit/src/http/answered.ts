import type { Metrics } from '../metrics.ts'

/** Counts answered requests. */
export type CountAnswered = (operation: string, status: number, seconds: number) => void

interface Of {
  timed: { operation: string }
  /** The labels for each status. */
  counted: Map<number, { operation: string; status: string }>
}

/** Labels are created only once, because there are few operations and statuses. */
export function createAnswered(metrics: Pick<Metrics, 'counter' | 'histogram'>): CountAnswered {
  const requests = metrics.counter({
    name: 'assay_http_requests_total',
    help: 'Answered requests. Status 499: the caller disconnected before the answer.',
    labels: ['operation', 'status'],
  })
  const durations = metrics.histogram({
    name: 'assay_http_request_duration_seconds',
    help: 'Time from the headers of a request to the end of its answer.',
    labels: ['operation'],
  })
  const known = new Map<string, Of>()
  return (operation, status, seconds) => {
    const of = known.get(operation) ?? { timed: { operation }, counted: new Map() }
    known.set(operation, of)
    const labels = of.counted.get(status) ?? { operation, status: String(status) }
    of.counted.set(status, labels)
    requests.add(labels)
    durations.observe(of.timed, seconds)
  }
}
