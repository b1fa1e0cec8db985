const LF = 10
const CR = 13

/** The delimiter and the quote, as bytes of UTF-8. `quote`: -1 means no quoting. */
export interface ScanDialect {
  delimiter: Uint8Array
  quote: number
}

/** Irregularities of a record besides its number of fields. */
export const oddity = { strayQuote: 1, textAfterQuote: 2, blank: 4, unclosedQuote: 8 } as const

/**
 * Receives the position of a record: `bytes[start, end)` without its line end. `bytes` is valid only during the call.
 */
export type OnRecord = (record: {
  bytes: Uint8Array
  start: number
  end: number
  fields: number
  oddities: number
  line: number
}) => void

const fieldStart = 0
const plain = 1
const quoted = 2
const quoteSeen = 3

/**
 * Splits UTF-8 CSV into records by RFC 4180, but leniently. A quote inside an unquoted field is text. Text after a
 * closing quote belongs to the field. Outside of quotes, LF, CRLF and CR each end a line. Needs memory for one chunk
 * and one record. `literalQuotes`: offsets of quotes that are text, for a second pass after `unclosedAt` was found.
 */
export class RecordScanner {
  readonly #delimiter: Uint8Array
  readonly #quote: number
  readonly #onRecord: OnRecord
  readonly #literalQuotes: ReadonlySet<number>
  readonly #record: Parameters<OnRecord>[0] = {
    bytes: new Uint8Array(0),
    start: 0,
    end: 0,
    fields: 0,
    oddities: 0,
    line: 1,
  }
  #buffer: Uint8Array = new Uint8Array(0)
  /** Offset in the stream of the buffer's first byte. */
  #base = 0
  #at = 0
  #recordStart = 0
  #recordLine = 1
  #line = 1
  #state = fieldStart
  #fields = 0
  #oddities = 0
  #quoteAt = 0
  #lf = false
  #crlf = false
  #cr = false
  /** Bytes of the longest record. */
  longest = 0

  constructor(dialect: ScanDialect, onRecord: OnRecord, literalQuotes: ReadonlySet<number> = new Set()) {
    this.#delimiter = dialect.delimiter
    this.#quote = dialect.quote
    this.#onRecord = onRecord
    this.#literalQuotes = literalQuotes
  }

  /** Whether the file has several kinds of line ends. */
  get mixedLineEnds(): boolean {
    return Number(this.#lf) + Number(this.#crlf) + Number(this.#cr) > 1
  }

  /** Offset of the opening quote that never closes, known after `end`. */
  get unclosedAt(): number | null {
    return this.#state === quoted ? this.#quoteAt : null
  }

  /** Buffered bytes of the current record. */
  get pending(): number {
    return this.#buffer.length - this.#recordStart
  }

  push(chunk: Uint8Array): void {
    const kept = this.#buffer.length - this.#recordStart
    const buffer = new Uint8Array(kept + chunk.length)
    buffer.set(this.#buffer.subarray(this.#recordStart))
    buffer.set(chunk, kept)
    this.#base += this.#recordStart
    this.#at -= this.#recordStart
    this.#recordStart = 0
    this.#buffer = buffer
    this.#scan(buffer.length - Math.max(1, this.#delimiter.length - 1))
  }

  /** Emits the last record if the file does not end with a line end. */
  end(): void {
    this.#scan(this.#buffer.length)
    if (this.#recordStart < this.#buffer.length) this.#endRecord(this.#buffer.length, 0)
  }

  #scan(limit: number): void {
    const bytes = this.#buffer
    const quote = this.#quote
    const delimiter = this.#delimiter[0] ?? -1
    let at = this.#at
    while (at < limit) {
      if (this.#state === fieldStart) {
        if (bytes[at] === quote) {
          if (!this.#literalQuotes.has(this.#base + at)) {
            this.#state = quoted
            this.#quoteAt = this.#base + at
            at += 1
            continue
          }
          this.#oddities |= oddity.unclosedQuote
        }
        this.#state = plain
      }
      if (this.#state === quoted) {
        let byte = bytes[at]
        while (at < limit && byte !== quote) {
          if (byte === LF) this.#line += 1
          at += 1
          byte = bytes[at]
        }
        if (at < limit) {
          this.#state = quoteSeen
          at += 1
        }
        continue
      }
      if (this.#state === quoteSeen && bytes[at] === quote) {
        this.#state = quoted
        at += 1
        continue
      }
      if (this.#state === plain) {
        let byte = bytes[at]
        while (at < limit && byte !== delimiter && byte !== LF && byte !== CR) {
          if (byte === quote) this.#oddities |= oddity.strayQuote
          at += 1
          byte = bytes[at]
        }
        if (at >= limit) break
      }
      const byte = bytes[at]
      if (byte === LF) {
        this.#lf = true
        at = this.#endRecord(at, 1)
      } else if (byte === CR) {
        const pair = bytes[at + 1] === LF
        if (pair) this.#crlf = true
        else this.#cr = true
        at = this.#endRecord(at, pair ? 2 : 1)
      } else if (byte === delimiter && this.#delimiterAt(at)) {
        this.#fields += 1
        this.#state = fieldStart
        at += this.#delimiter.length
      } else {
        if (this.#state === quoteSeen) this.#oddities |= oddity.textAfterQuote
        this.#state = plain
        at += 1
      }
    }
    this.#at = at
  }

  #delimiterAt(at: number): boolean {
    for (let i = 1; i < this.#delimiter.length; i += 1) {
      if (this.#buffer[at + i] !== this.#delimiter[i]) return false
    }
    return true
  }

  #endRecord(end: number, lineEnd: number): number {
    const record = this.#record
    record.bytes = this.#buffer
    record.start = this.#recordStart
    record.end = end
    record.fields = this.#fields + 1
    record.oddities = end === this.#recordStart ? oddity.blank : this.#oddities
    record.line = this.#recordLine
    if (end - this.#recordStart > this.longest) this.longest = end - this.#recordStart
    const unclosed = lineEnd === 0 && this.#state === quoted
    this.#onRecord(record)
    this.#fields = 0
    this.#oddities = 0
    if (!unclosed) this.#state = fieldStart
    this.#line += 1
    this.#recordLine = this.#line
    this.#recordStart = end + lineEnd
    return end + lineEnd
  }
}
