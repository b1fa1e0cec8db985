import { channelType } from '@assay/contracts'
import type { Metrics } from '@assay/service-kit'
import type { Send } from '../sending/sender.ts'

/** Counts and times the attempts of a sender, by the type of the channel. */
export function measuredSend(send: Send, metrics: Metrics): Send {
  const attempts = metrics.counter({
    name: 'assay_channel_attempts_total',
    help: 'Attempts to send a message to a channel, by its type. Outcome: delivered, failed.',
    labels: ['channel', 'outcome'],
  })
  const durations = metrics.histogram({
    name: 'assay_channel_attempt_duration_seconds',
    help: 'Time of an attempt to send a message to a channel, by its type.',
    labels: ['channel'],
  })
  // A rate misses the first increment of a series that did not exist before.
  for (const channel of channelType.options)
    for (const outcome of ['delivered', 'failed']) attempts.add({ channel, outcome }, 0)
  return async (tenant, channel, message, signal) => {
    const result = await send(tenant, channel, message, signal)
    attempts.add({ channel: channel.type, outcome: result.delivered ? 'delivered' : 'failed' })
    durations.observe({ channel: channel.type }, result.latencyMs / 1_000)
    return result
  }
}
