import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Compared, ComparedPair, ComparePlan, DifferingRow } from '../compare.ts'
import type { DatasetLocator } from '../dataset.ts'
import type { DataEngine } from '../port.ts'
import { noRows, rowsInto } from '../row-sink.ts'
import { written } from './plans.ts'

/** An engine that compares, with data that the suite creates for it. */
export interface ComparingSubject {
  engine: Pick<DataEngine, 'compare'>
  /**
   * Creates a table from this CSV text, in which nothing is NULL. `types`: DuckDB's names of the column types, in
   * order.
   */
  table(name: string, text: string, types: readonly string[]): Promise<DatasetLocator>
  /** Whether it knows which columns a filter reads. Default: true. */
  knowsTouched?: false
  /** Removes a table. */
  drop(name: string): Promise<void>
  stop(): Promise<void>
}

const key = (name: string, more: Partial<ComparedPair> = {}): ComparedPair => ({
  ...{ left: name, right: name, isKey: true },
  ...more,
})
const value = (name: string, more: Partial<ComparedPair> = {}) => key(name, { isKey: false, ...more })

const counts = ({ left, right, equal, changed, onlyLeft, onlyRight }: Compared) => ({
  ...{ left: left.rows, right: right.rows, equal, changed, onlyLeft, onlyRight },
})

/** The guarantees of every comparing engine, tested with one adapter. */
export function comparingFeatures(name: string, make: () => Promise<ComparingSubject>): void {
  describe(`comparing engine: ${name}`, () => {
    let subject: ComparingSubject
    let made = 0
    const { signal } = new AbortController()

    beforeAll(async () => {
      subject = await make()
    })
    afterAll(() => subject.stop())

    const tables = async (left: string, right: string, types: readonly string[], rightTypes = types) => {
      made += 1
      const [one, other] = [
        await subject.table(`left_${made}`, left, types),
        await subject.table(`right_${made}`, right, rightTypes),
      ]
      return { left: { dataset: one }, right: { dataset: other } }
    }
    const compare = (plan: Omit<ComparePlan, 'rows'> & Partial<ComparePlan>, rows = noRows) =>
      subject.engine.compare({ rows: null, ...plan }, { rows, signal })
    /** The rows of one column that are equal on both sides. */
    const agreeing = async (
      left: string[],
      right: string[],
      types: [string, string],
      more: Partial<ComparedPair> = {},
    ) => {
      const text = (cells: string[]) => `id,v\n${cells.map((cell, index) => `${index},${cell}\n`).join('')}`
      const both = await tables(text(left), text(right), ['BIGINT', types[0]], ['BIGINT', types[1]])
      const { differing } = await compare(
        {
          ...both,
          columns: [key('id'), value('v', more)],
          rows: { format: 'PARQUET', limit: null, preview: 100, itemIds: [] },
        },
        async () => undefined,
      )
      const unequal = differing?.preview.map(({ left: row }) => Number(row?.id)) ?? []
      return left.flatMap((cell, index) => (unequal.includes(index) ? [] : [cell]))
    }

    const customers = 'id,name,city\n1,Ann,Rome\n2,Bob,Oslo\n3,Cid,Bern\n4,Dan,\n6,Fay,Lima\n'
    const changedCustomers = 'id,name,city\n4,Dan,Kyiv\n2,Bob,Oslo\n3,Sid,Bonn\n1,Ann,Rome\n5,Eve,Paris\n'
    const types = ['BIGINT', 'VARCHAR', 'VARCHAR']
    const columns: ComparePlan['columns'] = [value('name'), key('id'), value('city')]

    it('given tables with a key, when compared, then equal, changed and one-sided rows and changed columns are counted', async () => {
      const both = await tables(customers, changedCustomers, types)
      const found = await compare({ ...both, columns })
      expect(counts(found)).toEqual({ left: 5, right: 5, equal: 2, changed: 2, onlyLeft: 1, onlyRight: 1 })
      expect(found.columns.map(({ left, changed }) => [left, changed])).toEqual([
        ['name', 1],
        ['id', 0],
        ['city', 2],
      ])
      expect(found.differing).toBeNull()
    })

    it('given a comparison of whole tables, when one has another column, then it is refused instead of left out', async () => {
      const both = await tables('id,name\n1,Ann\n', 'id,name,city\n1,Ann,Rome\n', types.slice(0, 2), types)
      const named: ComparePlan['columns'] = [value('id'), value('name')]
      expect(await compare({ ...both, columns: named })).toMatchObject({ equal: 1 })
      await expect(compare({ ...both, columns: named, whole: true })).rejects.toMatchObject({
        code: 'unprocessable',
        message: 'The right table: it has columns that the last crawl did not find: "city". Crawl its source again.',
      })
      const same = { left: both.left, right: both.left }
      expect(await compare({ ...same, columns: named, whole: true })).toMatchObject({ equal: 1 })
    })

    it('given rows to store, when compared, then they have both sides, are sorted by difference and key, and start with the key', async () => {
      const both = await tables(customers, changedCustomers, types)
      const folder = await mkdtemp(path.join(tmpdir(), 'assay-differing-'))
      const rows = { format: 'JSON', limit: null, preview: 3, itemIds: [7, 8] } as const
      const { differing } = await compare({ ...both, columns, rows }, rowsInto(folder))
      const expected: DifferingRow[] = [
        {
          ...{ difference: 'CHANGED', changedColumns: ['name', 'city'] },
          left: { id: 3, name: 'Cid', city: 'Bern' },
          right: { id: 3, name: 'Sid', city: 'Bonn' },
        },
        {
          ...{ difference: 'CHANGED', changedColumns: ['city'] },
          left: { id: 4, name: 'Dan', city: null },
          right: { id: 4, name: 'Dan', city: 'Kyiv' },
        },
        {
          ...{ difference: 'ONLY_LEFT', changedColumns: [] },
          ...{ left: { id: 6, name: 'Fay', city: 'Lima' }, right: null },
        },
      ]
      expect(differing).toMatchObject({ count: 4, stored: 4, files: ['differing/part-0.json'], preview: expected })
      const names = ['left_id', 'right_id', 'left_name', 'right_name', 'left_city', 'right_city']
      expect(differing?.columns.map((column) => column.name)).toEqual(names)
      expect(differing?.columns[1]).toEqual({ name: 'right_id', side: 'RIGHT', column: 'id', dataType: 'BIGINT' })
      const lines = (await readFile(path.join(folder, 'differing/part-0.json'), 'utf8')).trim().split('\n')
      expect(lines).toHaveLength(4)
      expect(JSON.parse(lines[3] ?? '')).toEqual({
        ...{ __difference: 'ONLY_RIGHT', __changed_columns: [], left_id: null, right_id: 5 },
        ...{ left_name: null, right_name: 'Eve', left_city: null, right_city: 'Paris', __rule_item_ids: [7, 8] },
      })
      await rm(folder, { recursive: true })
    })

    it.each(['PARQUET', 'CSV'] as const)(
      'given a limit, when rows are stored as %s, then only the first rows are stored, and all are counted',
      async (format) => {
        const both = await tables(customers, changedCustomers, types)
        const parts: string[] = []
        const { differing } = await compare(
          { ...both, columns, rows: { format, limit: 1, preview: 10, itemIds: [] } },
          async ({ name: part }) => void parts.push(part),
        )
        expect(differing).toMatchObject({ count: 4, stored: 1 })
        expect(differing?.preview.map(({ left }) => left?.id)).toEqual([3])
        expect(parts).toEqual([`differing/part-0.${format.toLowerCase()}`])
      },
    )

    it('given rows to store as CSV, when compared, then the names of changed columns are JSON', async () => {
      const both = await tables(customers, changedCustomers, types)
      const folder = await mkdtemp(path.join(tmpdir(), 'assay-differing-'))
      const rows = { format: 'CSV', limit: null, preview: 1, itemIds: [7] } as const
      const { differing } = await compare({ ...both, columns, rows }, rowsInto(folder))
      const lines = (await readFile(path.join(folder, differing?.files[0] ?? ''), 'utf8')).trimEnd().split('\n')
      expect(lines[1]).toBe('CHANGED,"[""name"",""city""]",3,3,Cid,Sid,Bern,Bonn,[7]')
      expect(lines[4]).toBe('ONLY_RIGHT,[],,5,,Eve,,Paris,[7]')
      await rm(folder, { recursive: true })
    })

    const keep = { format: 'JSON', limit: null, preview: 100 } as const
    /** The stored rows that agree, in their order. */
    const agreed = async (plan: Parameters<typeof compare>[0]) => {
      const folder = await mkdtemp(path.join(tmpdir(), 'assay-agreeing-'))
      const found = await compare({ ...plan, agreeing: keep }, rowsInto(folder))
      const [file] = found.agreeing?.files ?? []
      const text = file === undefined ? '' : await readFile(path.join(folder, file), 'utf8')
      await rm(folder, { recursive: true })
      return { found, lines: text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)])) }
    }

    it('given rows that agree to store, when compared, then they have both sides as in the data, are sorted by key, and start with it', async () => {
      const [left, right] = ['id,name,n\n3,Cid,5\n1,Ann,1\n2,Bob,7\n', 'id,name,n\n2,Bob,9\n1,ann,2\n3,cid,5\n']
      const both = await tables(left, right, ['BIGINT', 'VARCHAR', 'BIGINT'])
      const near = [
        value('name', { ignoreCase: true }),
        key('id'),
        value('n', { tolerance: { absolute: '1' } }),
      ] as const
      const { found, lines } = await agreed({ ...both, columns: [...near] })
      expect(counts(found)).toMatchObject({ equal: 2, changed: 1 })
      expect(lines).toEqual([
        { left_id: 1, right_id: 1, left_name: 'Ann', right_name: 'ann', left_n: 1, right_n: 2 },
        { left_id: 3, right_id: 3, left_name: 'Cid', right_name: 'cid', left_n: 5, right_n: 5 },
      ])
      expect(found.agreeing).toMatchObject({
        ...{ count: 2, stored: 2, files: ['agreeing/part-0.json'] },
        preview: [
          { left: { id: 1, name: 'Ann', n: 1 }, right: { id: 1, name: 'ann', n: 2 } },
          { left: { id: 3 }, right: { name: 'cid' } },
        ],
      })
      expect(found.differing).toBeNull()
    })

    it('given equal tables and rows that agree to store, when compared, then all rows are stored, or as many as the limit allows', async () => {
      const both = await tables(customers, customers, types)
      const { found, lines } = await agreed({ ...both, columns })
      expect(counts(found)).toMatchObject({ equal: 5 })
      expect(lines.map((row) => row.left_id)).toEqual([1, 2, 3, 4, 6])
      const parts: string[] = []
      const few = await compare(
        { ...both, columns, agreeing: { format: 'PARQUET', limit: 2, preview: 1 } },
        async ({ name: part }) => void parts.push(part),
      )
      expect(few.agreeing).toMatchObject({ count: 5, stored: 2 })
      expect(few.agreeing?.preview).toHaveLength(1)
      expect(parts).toEqual(['agreeing/part-0.parquet'])
    })

    it('given no key and rows that agree to store, when compared, then the rows that both multisets share are stored', async () => {
      const both = await tables('a,b\n1,x\n1,x\n1,x\n,y\n2,\n', 'a,b\n,y\n1,x\n2,z\n1,x\n', ['BIGINT', 'VARCHAR'])
      const { found, lines } = await agreed({ ...both, columns: [value('a'), value('b')] })
      expect(counts(found)).toMatchObject({ equal: 3, onlyLeft: 2, onlyRight: 1 })
      expect(lines).toHaveLength(3)
      const of = (a: number | null, b: string) => ({ left_a: a, right_a: a, left_b: b, right_b: b })
      expect(lines).toEqual(expect.arrayContaining([of(1, 'x'), of(null, 'y')]))
      expect(lines.filter((row) => row.left_a === 1)).toHaveLength(2)
    })

    it('given keys that are NULL or not unique, when compared, then they are counted and their rows are never changed rows', async () => {
      const left = 'id,n\n,1\n1,1\n2,1\n2,1\n2,2\n3,1\n4,1\n4,1\n'
      const right = 'id,n\n,1\n1,1\n2,1\n2,3\n3,1\n3,2\n4,1\n4,1\n'
      const found = await compare({
        ...(await tables(left, right, ['BIGINT', 'BIGINT'])),
        columns: [key('id'), value('n')],
      })
      expect(counts(found)).toEqual({ left: 8, right: 8, equal: 6, changed: 0, onlyLeft: 2, onlyRight: 2 })
      expect([found.left.duplicateKeys, found.right.duplicateKeys]).toEqual([2, 3])
      expect([found.left.nullKeys, found.right.nullKeys]).toEqual([1, 1])
    })

    it('given no key, when compared, then rows are a multiset in which NULL equals NULL', async () => {
      const both = await tables('a,b\n1,x\n1,x\n,y\n2,\n', 'a,b\n,y\n1,x\n2,z\n1,y\n', ['BIGINT', 'VARCHAR'])
      const found = await compare({ ...both, columns: [value('a'), value('b')] })
      expect(counts(found)).toEqual({ left: 4, right: 4, equal: 2, changed: 0, onlyLeft: 2, onlyRight: 2 })
      expect(found.left).toMatchObject({ duplicateKeys: 0, nullKeys: 0 })
    })

    it('given swapped values, when compared, then their rows differ', async () => {
      const left = 'id,a,b\n1,1,11\n2,x,y\n3,p,q\n'
      const right = 'id,a,b\n1,11,1\n2,p,y\n3,x,q\n'
      const both = await tables(left, right, ['BIGINT', 'VARCHAR', 'VARCHAR'])
      const found = await compare({ ...both, columns: [key('id'), value('a'), value('b')] })
      expect(counts(found)).toMatchObject({ equal: 0, changed: 3 })
    })

    it('given numbers of several types, when compared, then they agree by value', async () => {
      const whole = ['1', '-7', '9007199254740993', '']
      expect(await agreeing(whole, ['1.00', '-7.01', '9007199254740993', ''], ['BIGINT', 'DECIMAL(20,2)'])).toEqual([
        ...['1', '9007199254740993', ''],
      ])
      // DuckDB's own hash is the same for 0 and -1 of 128 bits.
      expect(await agreeing(['0', '5'], ['-1', '5'], ['DECIMAL(38,0)', 'DECIMAL(38,0)'])).toEqual(['5'])
      expect(await agreeing(['1', '300', '2'], ['1', '300', '3'], ['SMALLINT', 'UBIGINT'])).toEqual(['1', '300'])
      const floats = ['0.1', '-0', 'nan', '1e20', '0.30000000000000004', 'inf']
      const decimals = ['0.1', '0', '0', '100000000000000000000', '0.3', '0']
      expect(await agreeing(floats, decimals, ['DOUBLE', 'DECIMAL(38,17)'])).toEqual(['0.1', '-0', '1e20'])
      expect(await agreeing(['nan', '-0', 'inf'], ['nan', '0', '-inf'], ['DOUBLE', 'DOUBLE'])).toEqual(['nan', '-0'])
      expect(await agreeing(['0.1', 'nan'], ['0.1', 'nan'], ['FLOAT', 'DOUBLE'])).toEqual(['0.1', 'nan'])
    })

    it('given times of several types, when compared, then they agree by instant to the microsecond', async () => {
      const days = ['2024-01-01', '2024-01-02']
      expect(await agreeing(days, ['2024-01-01 00:00:00', '2024-01-02 00:00:01'], ['DATE', 'TIMESTAMP'])).toEqual([
        days[0],
      ])
      const instants = ['2024-01-01 10:00:00+02', '2024-01-01 10:00:00+00']
      const plain = ['2024-01-01 08:00:00', '2024-01-01 10:00:00.000001']
      expect(await agreeing(instants, plain, ['TIMESTAMPTZ', 'TIMESTAMP'])).toEqual([instants[0]])
    })

    it('given texts and other values, when compared, then texts are equal by code points, and never equal to other types', async () => {
      const texts = ['ß', '"a "', '""', 'é', '']
      expect(await agreeing(texts, ['ss', 'a', '', 'e\u0301', ''], ['VARCHAR', 'VARCHAR'])).toEqual([''])
      expect(await agreeing(['1', ''], ['1', ''], ['VARCHAR', 'BIGINT'])).toEqual([''])
      expect(await agreeing(['true'], ['true'], ['VARCHAR', 'BOOLEAN'])).toEqual([])
      expect(await agreeing(['1'], ['true'], ['BIGINT', 'BOOLEAN'])).toEqual([])
      // DuckDB's own hash is the same for UUIDs whose halves have the same exclusive or.
      const ids = ['00000000-0000-0000-8000-000000000001', '00000000-0000-0001-8000-000000000000']
      expect(await agreeing(ids, [ids[0] ?? '', ids[0] ?? ''], ['UUID', 'UUID'])).toEqual([ids[0]])
    })

    it('given options to ignore blanks, case or seconds, when compared, then these are ignored', async () => {
      const texts = ['"  Ab "', 'ÄB', 'a\tb']
      expect(await agreeing(texts, ['Ab', 'äb', 'ab'], ['VARCHAR', 'VARCHAR'], { trim: true })).toEqual([texts[0]])
      expect(await agreeing(texts, ['ab', 'äb', 'ab'], ['VARCHAR', 'VARCHAR'], { ignoreCase: true })).toEqual(['ÄB'])
      const times = ['2024-01-01 10:00:59.5', '2024-01-01 10:01:00']
      const others = ['2024-01-01 10:00:00', '2024-01-01 10:00:59']
      expect(await agreeing(times, others, ['TIMESTAMP', 'TIMESTAMPTZ'], { timeUnit: 'minute' })).toEqual([times[0]])
    })

    it('given a tolerance, when compared, then numbers agree up to that distance in decimals', async () => {
      const near = (
        left: string[],
        right: string[],
        tolerance: NonNullable<ComparedPair['tolerance']>,
        types: [string, string],
      ) => agreeing(left, right, types, { tolerance })
      const prices = ['10.00', '10.00', '10.00', '']
      const others = ['10.01', '9.99', '10.02', '1']
      for (const type of ['DECIMAL(10,2)', 'DOUBLE'])
        expect(await near(prices, others, { absolute: '0.01' }, ['DECIMAL(10,2)', type])).toEqual(['10.00', '10.00'])
      // As doubles, 0.29 * 100 is less than 29.
      expect(await near(['71', '70'], ['100', '100'], { relative: '0.29' }, ['BIGINT', 'DOUBLE'])).toEqual(['71'])
      expect(await near(['0.1', '0.1'], ['0.3', '0.4'], { absolute: '0.2' }, ['DOUBLE', 'DOUBLE'])).toEqual(['0.1'])
      for (const type of ['FLOAT', 'DECIMAL(38,30)'])
        expect(await near(['0.1', '0.1'], ['0.3', '0.4'], { absolute: '0.2' }, [type, type])).toEqual(['0.1'])
      // The product would have more digits after the point than a decimal can have.
      const long = 'DECIMAL(38,30)'
      const small = { absolute: '0.01', relative: '0.000000001' }
      const longs = ['1', '100', '100']
      const longOthers = ['1.01', '100.00000001', '100.02']
      expect(await near(longs, longOthers, small, [long, long])).toEqual(['1', '100'])
      expect(await near(longs, longOthers, { relative: small.relative }, [long, 'DOUBLE'])).toEqual(['100'])
      const odd = ['nan', 'inf', 'inf', '1e300', '1e300', 'nan']
      const oddRight = ['nan', 'inf', '1', '1.05e300', '2e300', '1']
      expect(await near(odd, oddRight, { relative: '0.1' }, ['DOUBLE', 'DOUBLE'])).toEqual(['nan', 'inf', '1e300'])
      const large = ['99999999999999999999999999999999999999', '-99999999999999999999999999999999999999']
      expect(await near(large, [large[1] ?? '', large[1] ?? ''], { absolute: '1' }, ['HUGEINT', 'HUGEINT'])).toEqual([
        large[1],
      ])
    })

    it('given an operation, when compared, then NULL and NaN have no order, and equal values may disagree', async () => {
      const [left, right] = [
        ['1', '2', '3', '', '', '5'],
        ['2', '2', '2', '', '1', ''],
      ]
      const ids = async (more: Partial<ComparedPair>, types: [string, string] = ['BIGINT', 'DOUBLE']) => {
        const found = await agreeing(left, right, types, more)
        return found.join(' ').trim()
      }
      expect(await ids({ operation: 'GTE' })).toBe('2 3')
      expect(await ids({ operation: 'GT' })).toBe('3')
      expect(await ids({ operation: 'LTE' }, ['VARCHAR', 'VARCHAR'])).toBe('1 2')
      expect(await ids({ operation: 'LT' })).toBe('1')
      expect(await ids({ operation: 'NOT_EQ' })).toBe('1 3')
      expect(await ids({ ignoreNulls: true })).toBe('2   5')
      expect(await ids({ operation: 'NOT_EQ', ignoreNulls: true })).toBe('1 3   5')
      // A float stands for its shortest decimal.
      expect(await agreeing(['0.1'], ['0.1'], ['FLOAT', 'DECIMAL(3,2)'], { operation: 'LTE' })).toEqual(['0.1'])
      expect(await agreeing(['0.1'], ['0.1'], ['FLOAT', 'DOUBLE'], { operation: 'GTE' })).toEqual(['0.1'])
      expect(await agreeing(['1e30'], ['1e30'], ['FLOAT', 'DOUBLE'], { operation: 'GTE' })).toEqual(['1e30'])
      const odd: [string[], string[], [string, string]] = [
        ['nan', 'nan'],
        ['1', 'nan'],
        ['DOUBLE', 'DOUBLE'],
      ]
      expect(await agreeing(...odd, { operation: 'GT' })).toEqual([])
      expect(await agreeing(...odd, { operation: 'NOT_EQ' })).toEqual(['nan'])
    })

    it('given an offset, when compared, then it is added to times of the left side, in keys too', async () => {
      const left = 'at,day,n\n2024-01-01 10:00:00,2024-01-01,1\n'
      const right = 'at,day,n\n2024-01-01 12:00:00,2024-01-01,1\n'
      const both = await tables(left, right, ['TIMESTAMP', 'DATE', 'BIGINT'], ['TIMESTAMPTZ', 'DATE', 'BIGINT'])
      const offset = { leftOffsetSeconds: 7200 }
      const moved = await compare({ ...both, columns: [key('at', offset), value('day', offset), value('n', offset)] })
      expect(counts(moved)).toMatchObject({ equal: 1, onlyLeft: 0 })
      const back = await compare({ ...both, columns: [key('at', { leftOffsetSeconds: -7200 }), value('n')] })
      expect(counts(back)).toMatchObject({ equal: 0, onlyLeft: 1 })
    })

    it('given columns whose differences are warnings, when compared, then rows that differ in them only are counted', async () => {
      const both = await tables(customers, changedCustomers, types)
      const found = await compare({ ...both, columns: [key('id'), value('name'), value('city', { isWarning: true })] })
      expect([found.changed, found.warned]).toEqual([2, 1])
    })

    it('given a composite key and columns with different names, when compared, then rows are paired by that key', async () => {
      const both = await tables('a,b,x\n1,1,p\n1,2,q\n', 'n,m,y\n1,1,p\n2,1,r\n', ['BIGINT', 'BIGINT', 'VARCHAR'])
      const pairs: ComparePlan['columns'] = [
        { left: 'a', right: 'm', isKey: true },
        { left: 'b', right: 'n', isKey: true },
        { left: 'x', right: 'y', isKey: false },
      ]
      expect(counts(await compare({ ...both, columns: pairs }))).toMatchObject({ equal: 1, changed: 1, onlyLeft: 0 })
    })

    it('given a filter and a window, when compared, then only matching rows count', async () => {
      const { left, right } = await tables(customers, changedCustomers, types)
      const upTo = (max: string) =>
        ({ kind: 'column', column: 'id', max: { kind: 'number', text: max }, inclusive: true, follow: true }) as const
      const found = await compare({
        left: { ...left, filter: written('city <> ${city}', { city: 'Bern' }) },
        right: { ...right, window: upTo('3') },
        columns,
      })
      expect(counts(found)).toEqual({ left: 3, right: 3, equal: 2, changed: 0, onlyLeft: 1, onlyRight: 1 })
      expect([found.left.reached, found.right.reached]).toEqual([null, '3'])
      if (subject.knowsTouched !== false) expect(found.left.touched).toMatchObject({ columns: ['city'] })
      expect(found.right.touched).toBeNull()
    })

    it('given tables without rows, when compared, then nothing is counted and nothing is stored', async () => {
      const both = await tables('id\n', 'id\n', ['BIGINT'])
      const rows = { format: 'PARQUET', limit: null, preview: 5, itemIds: [] } as const
      const found = await compare({ ...both, columns: [key('id')], rows, agreeing: keep })
      expect(counts(found)).toEqual({ left: 0, right: 0, equal: 0, changed: 0, onlyLeft: 0, onlyRight: 0 })
      const none = { count: 0, stored: 0, files: [], preview: [] }
      expect([found.differing, found.agreeing]).toMatchObject([none, none])
    })

    it('given a table that cannot be read, when compared, then the message names its side', async () => {
      const { left, right } = await tables(customers, changedCustomers, types)
      const unknown = compare({ left, right, columns: [key('id'), { left: 'name', right: 'nope', isKey: false }] })
      await expect(unknown).rejects.toMatchObject({
        code: 'invalid',
        message: expect.stringMatching(/^The right table: .*nope/),
      })
      const filtered = compare({ left: { ...left, filter: written('1=1) OR (1=1') }, right, columns })
      await expect(filtered).rejects.toMatchObject({
        code: 'invalid',
        message: expect.stringMatching(/^The left table: /),
      })
      await subject.drop(`right_${made}`)
      const gone = { code: 'unprocessable', message: expect.stringMatching(/^The right table: /) }
      await expect(compare({ left, right, columns })).rejects.toMatchObject(gone)
    })

    it('given any two small tables and any rule, when compared, then all counts equal those of a naive comparison', {
      timeout: 120_000,
    }, async () => {
      const cell = (max: number) => fc.option(fc.integer({ min: 0, max }), { nil: null })
      const rowsOf = fc.array(fc.record({ id: cell(30), n: cell(4) }), { maxLength: 60, size: 'max' })
      const rule = fc.constantFrom(...rules)
      await fc.assert(
        fc.asyncProperty(rowsOf, rowsOf, rule, async (left, right, { more, agrees }) => {
          const text = (rows: typeof left) => `id,n\n${rows.map(({ id, n }) => `${id ?? ''},${n ?? ''}\n`).join('')}`
          const both = await tables(text(left), text(right), ['BIGINT', 'BIGINT'])
          const { found, lines } = await agreed({ ...both, columns: [key('id'), value('n', more)] })
          const { duplicateKeys: inLeft } = found.left
          expect([lines.length, found.agreeing?.stored]).toEqual([found.equal, found.equal])
          for (const row of lines) expect(row.left_id).toBe(row.right_id)
          expect({ ...counts(found), inLeft, inRight: found.right.duplicateKeys }).toEqual(byHand(left, right, agrees))
        }),
        { numRuns: 10 },
      )
    })
  })
}

type Value = number | null
const isSame = (one: Value, other: Value) => one === other

/** Rules for values of paired rows, each with a function that says whether two values agree under it. */
const rules: readonly { more: Partial<ComparedPair>; agrees: (left: Value, right: Value) => boolean }[] = [
  { more: {}, agrees: isSame },
  {
    more: { tolerance: { absolute: '1' } },
    agrees: (left, right) => isSame(left, right) || (left !== null && right !== null && Math.abs(left - right) <= 1),
  },
  { more: { ignoreNulls: true }, agrees: (left, right) => isSame(left, right) || left === null || right === null },
  { more: { operation: 'GTE' }, agrees: (left, right) => left !== null && right !== null && left >= right },
  { more: { operation: 'NOT_EQ' }, agrees: (left, right) => left !== null && right !== null && left !== right },
]

interface SmallRow {
  id: number | null
  n: number | null
}

/** A naive comparison, row by row. */
function byHand(left: readonly SmallRow[], right: readonly SmallRow[], agrees: typeof isSame) {
  const found = { left: left.length, right: right.length, equal: 0, changed: 0, onlyLeft: 0, onlyRight: 0 }
  const [inLeft, inRight] = [left, right].map(
    (rows) => new Set(rows.map(({ id }) => id).filter((id) => rows.filter((row) => row.id === id).length > 1)).size,
  )
  for (const id of new Set([...left, ...right].map((row) => row.id))) {
    const rest = right.filter((row) => row.id === id)
    const mine = left.filter((row) => row.id === id)
    const isPair = mine.length === 1 && rest.length === 1
    const alone = mine.filter(({ n }) => {
      const at = rest.findIndex((row) => (isPair ? agrees(n, row.n) : row.n === n))
      if (at !== -1) rest.splice(at, 1)
      return at === -1
    })
    found.equal += mine.length - alone.length
    if (isPair) found.changed += alone.length
    else {
      found.onlyLeft += alone.length
      found.onlyRight += rest.length
    }
  }
  return { ...found, inLeft, inRight }
}
