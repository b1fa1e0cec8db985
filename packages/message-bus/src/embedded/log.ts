import { type Database, numberIn, textIn } from '@assay/sqlite'
import { encodedMessage } from '../message.ts'
import type { Message } from '../port.ts'

/** The outcome of a message in one group. `replay`: the message was parked and then released. */
export type Settled = { topic: string; seq: number; replay: boolean } & (
  | { kind: 'handled' }
  | { kind: 'parked'; key: string; reason: string }
)

export interface ParkedRow {
  topic: string
  seq: number
  key: string
  reason: string
}

/** The tables of the bus. All methods are synchronous; call those that write within a transaction. */
export interface Log {
  append(topic: string, messages: readonly Message[], now: number): void
  /** Number and key of the messages of `topic` after `seq`, in order. */
  after(topic: string, seq: number, limit: number): { seq: number; key: string }[]
  countAfter(topic: string, seq: number): number
  body(seq: number): string | undefined
  /** Registers the group for the topic, so that messages that it has not handled are not pruned. */
  join(group: string, topic: string): { checkpoint: number; handledBeyond: number[] }
  settle(group: string, settled: readonly Settled[], checkpoints: ReadonlyMap<string, number>): void
  /** Parked messages, in order. With `replaying`: only messages that were released and are not handled yet. */
  parked(group: string, replaying: boolean): ParkedRow[]
  /** Marks the parked messages of a key as released, and returns them in order. */
  putBack(group: string, topic: string, key: string): ParkedRow[]
  /** Removes the first parked message of a key. Returns the number of removed messages. */
  dropFirst(group: string, topic: string, key: string): number
  /**
   * Removes messages older than `before` (epoch ms) that no group needs. Looks only at the `limit` messages after
   * number `after`. Returns the number after which to continue; `undefined` if all old messages have been checked.
   */
  prune(before: number, after: number, limit: number): number | undefined
}

const tables = `
CREATE TABLE IF NOT EXISTS bus_messages (seq INTEGER PRIMARY KEY AUTOINCREMENT, topic TEXT NOT NULL, key TEXT NOT NULL,
  id TEXT NOT NULL, published_at INTEGER NOT NULL, body TEXT NOT NULL, UNIQUE (topic, id)) STRICT;
CREATE INDEX IF NOT EXISTS bus_messages_by_topic ON bus_messages (topic, seq, key);
CREATE TABLE IF NOT EXISTS bus_checkpoints (grp TEXT NOT NULL, topic TEXT NOT NULL, seq INTEGER NOT NULL,
  PRIMARY KEY (grp, topic)) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS bus_handled (grp TEXT NOT NULL, topic TEXT NOT NULL, seq INTEGER NOT NULL,
  PRIMARY KEY (grp, topic, seq)) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS bus_parked (grp TEXT NOT NULL, seq INTEGER NOT NULL, topic TEXT NOT NULL, key TEXT NOT NULL,
  reason TEXT NOT NULL, replaying INTEGER NOT NULL, PRIMARY KEY (grp, seq)) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS bus_parked_by_message ON bus_parked (seq);
`

const statements = {
  append: `INSERT INTO bus_messages (topic, key, id, published_at, body) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (topic, id) DO NOTHING`,
  after: 'SELECT seq, key FROM bus_messages WHERE topic = ? AND seq > ? ORDER BY seq LIMIT ?',
  countAfter: 'SELECT count(*) AS count FROM bus_messages WHERE topic = ? AND seq > ?',
  body: 'SELECT body FROM bus_messages WHERE seq = ?',
  join: 'INSERT INTO bus_checkpoints (grp, topic, seq) VALUES (?, ?, 0) ON CONFLICT DO NOTHING',
  checkpoint: 'SELECT seq FROM bus_checkpoints WHERE grp = ? AND topic = ?',
  handledBeyond: 'SELECT seq FROM bus_handled WHERE grp = ? AND topic = ?',
  handled: 'INSERT INTO bus_handled (grp, topic, seq) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  advance: 'UPDATE bus_checkpoints SET seq = ? WHERE grp = ? AND topic = ? AND seq < ?',
  forget: 'DELETE FROM bus_handled WHERE grp = ? AND topic = ? AND seq <= ?',
  park: `INSERT INTO bus_parked (grp, seq, topic, key, reason, replaying) VALUES (?, ?, ?, ?, ?, 0)
    ON CONFLICT (grp, seq) DO UPDATE SET reason = excluded.reason, replaying = 0`,
  unpark: 'DELETE FROM bus_parked WHERE grp = ? AND seq = ?',
  parked: 'SELECT topic, seq, key, reason FROM bus_parked WHERE grp = ? AND replaying = ? ORDER BY seq',
  parkedOfKey: `SELECT topic, seq, key, reason FROM bus_parked
    WHERE grp = ? AND topic = ? AND key = ? AND replaying = 0 ORDER BY seq`,
  putBack: 'UPDATE bus_parked SET replaying = 1 WHERE grp = ? AND topic = ? AND key = ? AND replaying = 0',
  dropFirst: `DELETE FROM bus_parked WHERE grp = ? AND seq = (SELECT min(seq) FROM bus_parked
    WHERE grp = ? AND topic = ? AND key = ? AND replaying = 0)`,
  oldest: 'SELECT seq, published_at FROM bus_messages WHERE seq > ? ORDER BY seq LIMIT ?',
  prune: `DELETE FROM bus_messages AS message WHERE seq > ? AND seq <= ?
    AND NOT EXISTS (SELECT 1 FROM bus_checkpoints WHERE topic = message.topic AND seq < message.seq)
    AND NOT EXISTS (SELECT 1 FROM bus_parked WHERE seq = message.seq)`,
}

/** Creates missing tables. */
export function createLog(database: Database): Log {
  database.exec(tables)
  const sql = (name: keyof typeof statements) => database.prepare(statements[name])
  const parkedRow = (row: Parameters<typeof textIn>[0]): ParkedRow => ({
    topic: textIn(row, 'topic'),
    seq: numberIn(row, 'seq'),
    key: textIn(row, 'key'),
    reason: textIn(row, 'reason'),
  })

  function settleOne(group: string, settled: Settled, checkpoint: number): void {
    const { topic, seq } = settled
    if (settled.kind === 'parked') sql('park').run(group, seq, topic, settled.key, settled.reason)
    else if (settled.replay) sql('unpark').run(group, seq)
    if (!settled.replay && seq > checkpoint) sql('handled').run(group, topic, seq)
  }

  return {
    append(topic, messages, now) {
      for (const message of messages) sql('append').run(topic, message.key, message.id, now, encodedMessage(message))
    },
    after: (topic, seq, limit) =>
      sql('after')
        .all(topic, seq, limit)
        .map((row) => ({ seq: numberIn(row, 'seq'), key: textIn(row, 'key') })),
    countAfter(topic, seq) {
      const row = sql('countAfter').get(topic, seq)
      return row === undefined ? 0 : numberIn(row, 'count')
    },
    body(seq) {
      const row = sql('body').get(seq)
      return row === undefined ? undefined : textIn(row, 'body')
    },
    join(group, topic) {
      sql('join').run(group, topic)
      const row = sql('checkpoint').get(group, topic)
      const beyond = sql('handledBeyond').all(group, topic)
      return {
        checkpoint: row === undefined ? 0 : numberIn(row, 'seq'),
        handledBeyond: beyond.map((handled) => numberIn(handled, 'seq')),
      }
    },
    settle(group, settled, checkpoints) {
      for (const one of settled) settleOne(group, one, checkpoints.get(one.topic) ?? 0)
      for (const [topic, checkpoint] of checkpoints) {
        const { changes } = sql('advance').run(checkpoint, group, topic, checkpoint)
        if (changes > 0) sql('forget').run(group, topic, checkpoint)
      }
    },
    parked: (group, replaying) =>
      sql('parked')
        .all(group, replaying ? 1 : 0)
        .map(parkedRow),
    putBack(group, topic, key) {
      const rows = sql('parkedOfKey').all(group, topic, key).map(parkedRow)
      sql('putBack').run(group, topic, key)
      return rows
    },
    dropFirst: (group, topic, key) => Number(sql('dropFirst').run(group, group, topic, key).changes),
    prune(before, after, limit) {
      const rows = sql('oldest').all(after, limit)
      const young = rows.findIndex((row) => numberIn(row, 'published_at') >= before)
      const last = (young === -1 ? rows : rows.slice(0, young)).at(-1)
      if (last === undefined) return undefined
      sql('prune').run(after, numberIn(last, 'seq'))
      return young === -1 && rows.length === limit ? numberIn(last, 'seq') : undefined
    },
  }
}
