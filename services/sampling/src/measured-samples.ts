import { type Commit, observedCommit } from '@assay/event-store'
import type { Metrics } from '@assay/service-kit'

/** Counts samples when their events are written. Each event counts once, in the replica that writes it. */
export function measuredSamples(commit: Commit, metrics: Metrics): Commit {
  const requested = metrics.counter({ name: 'assay_samples_requested_total', help: 'Requested samples.' })
  const ended = metrics.counter({
    name: 'assay_samples_ended_total',
    help: 'Ended samples. State: SUCCESSFUL, FAILED.',
    labels: ['state'],
  })
  for (const state of ['SUCCESSFUL', 'FAILED']) ended.add({ state }, 0)
  return observedCommit(commit, ({ type }) => {
    switch (type) {
      case 'SampleRequested':
        requested.add({})
        break
      case 'SampleSucceeded':
        ended.add({ state: 'SUCCESSFUL' })
        break
      case 'SampleFailed':
        ended.add({ state: 'FAILED' })
        break
      default:
    }
  })
}
