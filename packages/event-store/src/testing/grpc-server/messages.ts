import shared from '@eventstore/db-client/generated/shared_pb.js'
import type { AppendReq, AppendResp, ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import type { ExpectedRevision, NewEvent } from '../../port.ts'
import type { LogRecord } from './records.ts'

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8')
}

export function streamNameOf(options: {
  getStreamIdentifier(): { getStreamName_asU8(): Uint8Array } | undefined
}): string {
  return textOf(options.getStreamIdentifier()?.getStreamName_asU8() ?? new Uint8Array())
}

export function expectedOf(options: AppendReq.Options): ExpectedRevision {
  if (options.hasNoStream()) return 'none'
  if (options.hasStreamExists()) return 'exists'
  return options.hasRevision() ? Number(options.getRevision()) : 'any'
}

/** The event of a proposed message. `undefined` if it has no UUID, which a real server refuses. */
export function eventOf(message: AppendReq.ProposedMessage): NewEvent | undefined {
  const id = message.getId()?.getString().toLowerCase() ?? ''
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) return undefined
  const type = message.getMetadataMap().get('type') ?? ''
  const data = JSON.parse(textOf(message.getData_asU8()))
  const metadata = JSON.parse(textOf(message.getCustomMetadata_asU8()))
  return { id, type, data, metadata }
}

/** The maximum number of events that a settings message allows a stream. */
export function maxCountOf(message: AppendReq.ProposedMessage): number | undefined {
  const { $maxCount: count } = JSON.parse(textOf(message.getData_asU8()))
  return typeof count === 'number' ? count : undefined
}

export function bytesOf(message: AppendReq.ProposedMessage): number {
  return message.getData_asU8().length + message.getCustomMetadata_asU8().length
}

function identifier(stream: string) {
  const made = new shared.StreamIdentifier()
  made.setStreamName(Uint8Array.from(Buffer.from(stream)))
  return made
}

export function appendedMessage(revision: number, position: bigint | undefined): AppendResp {
  const success = new streams.AppendResp.Success()
  success.setCurrentRevision(String(revision))
  if (position === undefined) success.setNoPosition(new shared.Empty())
  else {
    const made = new streams.AppendResp.Position()
    made.setCommitPosition(String(position))
    made.setPreparePosition(String(position))
    success.setPosition(made)
  }
  return new streams.AppendResp().setSuccess(success)
}

export function conflictMessage(expected: ExpectedRevision, revision: number): AppendResp {
  const wrong = new streams.AppendResp.WrongExpectedVersion()
  if (expected === 'any') wrong.setExpectedAny(new shared.Empty())
  else if (expected === 'exists') wrong.setExpectedStreamExists(new shared.Empty())
  else if (expected === 'none') wrong.setExpectedNoStream(new shared.Empty())
  else wrong.setExpectedRevision(String(expected))
  if (revision < 0) wrong.setCurrentNoStream(new shared.Empty())
  else wrong.setCurrentRevision(String(revision))
  return new streams.AppendResp().setWrongExpectedVersion(wrong)
}

/** Ticks of .NET since 1970: 100 nanoseconds each. */
function ticks(isoTime: string): string {
  return String(BigInt(Date.parse(isoTime)) * 10_000n)
}

export function eventMessage(record: LogRecord): ReadResp {
  const made = new streams.ReadResp.ReadEvent.RecordedEvent()
  made.setId(new shared.UUID().setString(record.id))
  made.setStreamIdentifier(identifier(record.stream))
  made.setStreamRevision(String(record.revision))
  made.setCommitPosition(String(record.position))
  made.setPreparePosition(String(record.position))
  made.getMetadataMap().set('type', record.type)
  made.getMetadataMap().set('created', ticks(record.recordedAt))
  made.getMetadataMap().set('content-type', 'application/json')
  made.setData(Uint8Array.from(Buffer.from(record.data)))
  made.setCustomMetadata(Uint8Array.from(Buffer.from(record.metadata)))
  const read = new streams.ReadResp.ReadEvent().setEvent(made)
  read.setCommitPosition(String(record.position))
  return new streams.ReadResp().setEvent(read)
}

export function confirmationMessage(id: string): ReadResp {
  return new streams.ReadResp().setConfirmation(new streams.ReadResp.SubscriptionConfirmation().setSubscriptionId(id))
}

export function checkpointMessage(position: bigint): ReadResp {
  const checkpoint = new streams.ReadResp.Checkpoint()
  checkpoint.setCommitPosition(String(position))
  checkpoint.setPreparePosition(String(position))
  return new streams.ReadResp().setCheckpoint(checkpoint)
}

export function caughtUpMessage(): ReadResp {
  return new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp())
}

export function notFoundMessage(stream: string): ReadResp {
  const missing = new streams.ReadResp.StreamNotFound().setStreamIdentifier(identifier(stream))
  return new streams.ReadResp().setStreamNotFound(missing)
}

/** Whether a record passes a reader's filter. */
export function filterOf(options: ReadReq.Options): (record: LogRecord) => boolean {
  const filter = options.getFilter()
  const expression = filter?.getStreamIdentifier() ?? filter?.getEventType()
  if (filter === undefined || expression === undefined) return () => true
  const subject = (record: LogRecord): string => (filter.hasStreamIdentifier() ? record.stream : record.type)
  const prefixes = expression.getPrefixList()
  if (prefixes.length > 0) return (record) => prefixes.some((prefix) => subject(record).startsWith(prefix))
  const pattern = new RegExp(expression.getRegex())
  return (record) => pattern.test(subject(record))
}

/** Number of records without a match after which the subscriber gets a checkpoint of the filter. */
export function checkpointEvery(options: ReadReq.Options): number {
  const filter = options.getFilter()
  if (filter === undefined) return Number.POSITIVE_INFINITY
  return (filter.hasMax() ? filter.getMax() : 32) * filter.getCheckpointintervalmultiplier()
}

/** Start of a read of $all: `undefined` for the beginning. */
export function allFrom(options: ReadReq.Options): bigint | 'end' | undefined {
  const all = options.getAll()
  if (all?.hasEnd()) return 'end'
  const position = all?.getPosition()
  return position === undefined ? undefined : BigInt(position.getCommitPosition())
}
