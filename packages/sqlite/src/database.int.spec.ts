import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { AssayError, isAssayError } from '@assay/service-kit/errors'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Database, isUniqueViolation, numberIn, openDatabase, textIn } from './index.ts'

let folder: string
let path: string
let database: Database

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-sqlite-'))
  path = join(folder, 'test.db')
  database = openDatabase({ path })
  database.exec('CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT UNIQUE, value ANY) STRICT')
})

afterEach(async () => {
  await database.close()
  rmSync(folder, { recursive: true })
})

const insert = (name: string): void => {
  database.prepare('INSERT INTO item (name) VALUES (?)').run(name)
}
const names = (): string[] =>
  database
    .prepare('SELECT name FROM item ORDER BY id')
    .all()
    .map((row) => textIn(row, 'name'))
const codeOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'resolved',
    (error: unknown) => (isAssayError(error) ? error.code : error),
  )

describe('given an open database', () => {
  it('then it is in write-ahead mode with foreign keys', () => {
    expect(database.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' })
    expect(database.prepare('PRAGMA synchronous').get()).toEqual({ synchronous: 1 })
    expect(database.prepare('PRAGMA foreign_keys').get()).toEqual({ foreign_keys: 1 })
    expect(database.prepare('PRAGMA busy_timeout').get()).toEqual({ timeout: 5000 })
    expect(database.prepare('PRAGMA wal_autocheckpoint').get()).toEqual({ wal_autocheckpoint: 16_000 })
  })

  it('when a text is prepared twice, then both calls return the same statement', () => {
    expect(database.prepare('SELECT 1 AS one')).toBe(database.prepare('SELECT 1 AS one'))
  })

  it.each([0, -1, 1.5, Number.MAX_SAFE_INTEGER, 2n ** 53n, -(2n ** 63n) + 1n, 'text', 'a\u0000b', '😀', '', null])(
    'when %s is stored then it reads back as it was, by SELECT and by RETURNING',
    (value) => {
      const returned = database.prepare('INSERT INTO item (value) VALUES (?) RETURNING value').get(value)
      expect(returned).toEqual({ value })
      expect(database.prepare('SELECT value FROM item').get()).toEqual({ value })
      expect(database.prepare('SELECT value FROM item').all()).toEqual([{ value }])
    },
  )

  it('when bytes are stored then they read back', () => {
    database.prepare('INSERT INTO item (value) VALUES (?)').run(new Uint8Array([0, 255]))
    expect(database.prepare('SELECT value FROM item').get()).toEqual({ value: new Uint8Array([0, 255]) })
  })

  it('when a whole number is bound then it stays an integer', () => {
    expect(database.prepare("SELECT typeof(?) AS kind, ? || '' AS text").get(1, 2)).toEqual({
      kind: 'integer',
      text: '2',
    })
  })

  it.each([
    ['undefined', undefined],
    ['a boolean', true],
    ['a Date', new Date(0)],
    ['NaN', Number.NaN],
  ])('when %s is bound then it is refused instead of being stored as something else', (_, value) => {
    // Parsed data can contain values that the types forbid.
    const statement = database.prepare('INSERT INTO item (value) VALUES (?)')
    expect(() => Reflect.apply(statement.run, statement, [value])).toThrow(TypeError)
    expect(names()).toEqual([])
  })
})

describe('given many concurrent writes', () => {
  it('when all succeed then all are committed and each gets its own answer', async () => {
    const answers = await Promise.all(
      Array.from({ length: 1000 }, (_, n) =>
        database.write(() => {
          insert(`n${n}`)
          return n * 2
        }),
      ),
    )
    expect(answers).toEqual(Array.from({ length: 1000 }, (_, n) => n * 2))
    expect(names()).toHaveLength(1000)
  })

  it('when one throws then only its own work is undone, and its error passes unchanged', async () => {
    const broken = new AssayError('conflict', 'Somebody else was first.')
    const outcomes = await Promise.allSettled([
      database.write(() => insert('first')),
      database.write(() => {
        insert('undone')
        throw broken
      }),
      database.write(() => insert('third')),
    ])
    expect(outcomes.map((each) => each.status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(outcomes[1]).toHaveProperty('reason', broken)
    expect(names()).toEqual(['first', 'third'])
  })

  it('when a lone write throws then it is undone and later writes succeed', async () => {
    const lone = database.write(() => {
      insert('undone')
      throw new RangeError('no')
    })
    await expect(lone).rejects.toThrow(RangeError)
    await database.write(() => insert('later'))
    expect(names()).toEqual(['later'])
  })

  it('when work is slow then the transaction is committed and the remaining work waits for the next', async () => {
    const busy = (): void => {
      const end = performance.now() + 15
      while (performance.now() < end);
    }
    const other = new DatabaseSync(path)
    const seen: number[] = []
    const count = (): number => Number(other.prepare('SELECT count(*) AS n FROM item').get()?.n)
    const slowly = (name: string): void => {
      seen.push(count())
      insert(name)
      busy()
    }
    await Promise.all(['a', 'b', 'c'].map((name) => database.write(() => slowly(name))))
    other.close()
    expect(seen).toEqual([0, 1, 2])
  })

  it('when work is not synchronous then it is refused and undone', async () => {
    const later = database.write(async () => insert('undone'))
    await expect(later).rejects.toThrow('must be synchronous')
    expect(names()).toEqual([])
  })

  it('when the promise resolves then another connection sees the row, and the hook after the commit has run', async () => {
    const other = new DatabaseSync(path)
    const order: string[] = []
    await database.write(() => {
      insert('x')
      database.afterCommit(() =>
        order.push(`commit ${Number(other.prepare('SELECT count(*) AS n FROM item').get()?.n)}`),
      )
      order.push('work')
    })
    other.close()
    expect(order).toEqual(['work', 'commit 1'])
  })

  it('when one of several writes throws then its hook never runs, and the hooks of the other writes run', async () => {
    const ran: string[] = []
    const write = (name: string, isBad: boolean) =>
      database.write(() => {
        insert(name)
        database.afterCommit(() => ran.push(name))
        if (isBad) throw new RangeError('no')
      })
    const writes = [write('first', false), write('bad', true), write('last', false)]
    expect((await Promise.allSettled(writes)).map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
    ])
    expect(ran).toEqual(['first', 'last'])
  })

  it('when the database is closed then queued writes are finished and later ones refused', async () => {
    const queued = database.write(() => insert('queued'))
    const closed = database.close()
    expect(await codeOf(database.write(() => insert('late')))).toBe('unavailable')
    await Promise.all([queued, closed])
    database = openDatabase({ path })
    expect(names()).toEqual(['queued'])
  })
})

describe('given a write', () => {
  /** The outcomes of two writes, if the log of the database is no longer where it would be flushed. */
  async function writesWithoutLog(options: { synchronous?: 'NORMAL' }): Promise<unknown[]> {
    const other = openDatabase({ path: join(folder, 'other.db'), ...options })
    other.exec('CREATE TABLE item (id INTEGER) STRICT')
    renameSync(join(folder, 'other.db-wal'), join(folder, 'elsewhere'))
    const write = () => other.write(() => other.prepare('INSERT INTO item VALUES (1)').run().changes)
    const outcomes = [await codeOf(write()), await codeOf(write())]
    await other.close()
    return outcomes
  }

  it('when its log cannot be flushed, then its outcome is unknown, and later writes are refused', async () => {
    expect(await writesWithoutLog({})).toEqual(['unknown-outcome', 'unavailable'])
  })

  it('when it need not survive a power failure, then nothing is flushed', async () => {
    expect(await writesWithoutLog({ synchronous: 'NORMAL' })).toEqual(['resolved', 'resolved'])
  })
})

describe('given a synchronous transaction', () => {
  it('when it throws then all of it is undone', () => {
    expect(() =>
      database.transaction(() => {
        insert('undone')
        throw new RangeError('no')
      }),
    ).toThrow(RangeError)
    expect(names()).toEqual([])
  })

  it('when a nested transaction throws and the error is caught then only the nested one is undone', async () => {
    await database.write(() => {
      insert('outer')
      expect(() =>
        database.transaction(() => {
          insert('inner')
          throw new RangeError('no')
        }),
      ).toThrow(RangeError)
    })
    expect(names()).toEqual(['outer'])
  })
})

describe('given a failing store', () => {
  it('when the disk is full then writes are unavailable, committed data stays, and later writes succeed', async () => {
    await database.write(() => insert('before'))
    const pages = numberIn(database.prepare('PRAGMA page_count').get() ?? {}, 'page_count')
    database.exec(`PRAGMA max_page_count = ${pages + 2}`)
    const big = (): void => insert('x'.repeat(50_000) + Math.random())
    const outcomes = await Promise.all([codeOf(database.write(big)), codeOf(database.write(big))])
    expect(outcomes).toEqual(['unavailable', 'unavailable'])
    expect(names()).toEqual(['before'])
    database.exec('PRAGMA max_page_count = 100000')
    await database.write(() => insert('after'))
    expect(names()).toEqual(['before', 'after'])
  })

  it('when the database is read-only then a write is unavailable', async () => {
    database.exec('PRAGMA query_only = 1')
    expect(await codeOf(database.write(() => insert('x')))).toBe('unavailable')
  })

  it('when another process holds the write lock for too long then the write is unavailable, not lost', async () => {
    database.exec('PRAGMA busy_timeout = 20')
    const other = new DatabaseSync(path)
    other.exec('BEGIN IMMEDIATE')
    expect(await codeOf(database.write(() => insert('x')))).toBe('unavailable')
    other.exec('ROLLBACK')
    await database.write(() => insert('y'))
    other.close()
    expect(names()).toEqual(['y'])
  })

  it('when the file is no database then the error of opening says so', () => {
    const wrong = join(folder, 'wrong.db')
    writeFileSync(wrong, 'this is not a database, '.repeat(100))
    expect(() => openDatabase({ path: wrong })).toThrow(expect.objectContaining({ code: 'unavailable' }))
  })

  it('when the folder does not exist then the error of opening says so', () => {
    const missing = join(folder, 'missing', 'x.db')
    expect(() => openDatabase({ path: missing })).toThrow(expect.objectContaining({ code: 'unavailable' }))
  })

  it('when a constraint is violated then the error differs from that of a failing store', async () => {
    await database.write(() => insert('same'))
    const again = await codeOf(database.write(() => insert('same')))
    expect(isUniqueViolation(again)).toBe(true)
  })
})
