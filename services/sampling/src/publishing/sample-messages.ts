import { publicMessage, publicTopics, withoutValues } from '@assay/contracts'
import { eventOf, type RecordedEvent } from '@assay/event-store'
import type { Message } from '@assay/message-bus'
import { assetSamplesAggregate } from '../asset-samples/aggregate.ts'
import type { AssetSamples } from '../asset-samples/asset-samples.ts'

const published = ['SampleRequested', 'SampleSucceeded', 'SampleFailed']

/** Whether an event is published. */
export function isPublished({ type }: Pick<RecordedEvent, 'type'>): boolean {
  return published.includes(type)
}

/** The public message for an event; `state`: the state after it. `undefined` for internal events. Pure. */
export function sampleMessage(
  recorded: RecordedEvent,
  state: AssetSamples,
): { topic: string; message: Message } | undefined {
  const event = eventOf(assetSamplesAggregate, recorded)
  if (event.type === 'SamplesRemoved' || !isPublished(event)) return undefined
  const { requestId } = event.data
  const job = state.jobs.find((each) => each.requestId === requestId)
  if (!job) return undefined
  const data = {
    requestId,
    assetId: job.target.assetId,
    tableId: job.target.tableId,
    column: job.target.column,
    status: job.status === 'open' ? 'IN_PROGRESS' : job.status === 'succeeded' ? 'SUCCESSFUL' : 'FAILED',
    rowCount: job.status === 'succeeded' ? job.rowCount : null,
    error: job.status === 'failed' ? withoutValues(job.error) : null,
  }
  const of = { key: requestId, subject: `sample/${requestId}`, data }
  return { topic: publicTopics.samples, message: publicMessage('sampling', recorded, of) }
}
