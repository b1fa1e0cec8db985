import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Metrics } from '@assay/service-kit'

/** Memory and the delay of the event loop, read when the metrics are. */
export function measureProcess(metrics: Metrics): void {
  const delay = monitorEventLoopDelay({ resolution: 20 })
  delay.enable()
  metrics.gauge('assay_process_resident_bytes', () => process.memoryUsage.rss())
  metrics.gauge('assay_event_loop_delay_p99_seconds', () => delay.percentile(99) / 1e9)
  metrics.gauge('assay_event_loop_delay_max_seconds', () => delay.max / 1e9)
}
