import { beforeAll, describe, expect, test } from 'vitest'
import { createClient, type HttpClient } from './client.ts'
import { makeAssembly, newUniqueName } from './fixtures.ts'
import type { Target } from './target.ts'

const api = '/catalog-server/api'
const equality = `${api}/rules/equality`
const reconciliation = `${api}/rules/reconciliation`

const orders =
  'id,customer,amount,at\n1,Ann,10.00,2024-01-01\n2,Bob,20.00,2024-01-02\n3,Cid,30.00,2024-01-03\n4,Dan,,2024-01-04\n'
const files = {
  'orders.csv': orders,
  'same.csv': orders,
  /** 3 changed, 4 gone, 5 new. */
  'copy.csv':
    'number,client,total,day\n2,Bob,20.01,2024-01-02\n1,ann,10.00,2024-01-01\n3,Sid,30.50,2024-01-03\n5,Eve,50.00,2024-01-05\n',
  'narrow.csv': 'id,customer\n1,Ann\n',
  'more.csv': `${orders}5,Eve,50.00,2024-01-05\n`,
  'changed.csv': orders.replace('Cid', 'Sid'),
  'doubled.csv': `${orders}1,Ann,10.00,2024-01-01\n,Fay,1.00,2024-01-06\n`,
}

/** Policies that compare two files. */
export function comparisonSuite(open: () => Promise<Target>): void {
  describe('a policy on two tables', () => {
    let target: Target
    let client: HttpClient
    let name: string

    const create = async (path: string, [left, right]: [string, string], body: object = {}, rule: object = {}) => {
      const sides = {
        leftBackingAsset: { tableAssetUid: `${name}.${left}` },
        rightBackingAsset: { tableAssetUid: `${name}.${right}` },
      }
      const sent = { rule: { name: newUniqueName(), ...sides, ...rule }, ...body }
      return (await client.eventually(() => client.good('POST', path, sent))).rule.id as number
    }
    const start = (path: string, id: number, body: object = {}) =>
      client.eventually(() => client.good('POST', `${path}/${id}/executions?wait=60`, body))
    const refused = async (path: string, both: [string, string], body: object, rule: object = {}) => {
      const sides = {
        leftBackingAsset: { tableAssetUid: `${name}.${both[0]}` },
        rightBackingAsset: { tableAssetUid: `${name}.${both[1]}` },
      }
      const answer = await client.call('POST', path, { rule: { name: newUniqueName(), ...sides, ...rule }, ...body })
      return [answer.status, answer.json.errors?.[0]?.message]
    }

    const key = { leftColumnName: 'id', rightColumnName: 'number', useForJoining: true }
    const customer = { leftColumnName: 'customer', rightColumnName: 'client' }
    const amount = { leftColumnName: 'amount', rightColumnName: 'total' }
    const mappings = [customer, key, amount]

    beforeAll(async () => {
      target = await open()
      client = createClient(target, target.admin)
      name = newUniqueName()
      await makeAssembly(client, target.sharedFolder, name, files)
      // The policy service learns of the tables from messages.
      await create(equality, ['orders.csv', 'doubled.csv'])
    })

    test('given two files and no items, when an equality policy runs, then it says whether they are equal, with a proof', async () => {
      const same = await start(equality, await create(equality, ['orders.csv', 'same.csv']))
      expect(same.execution).toMatchObject({ executionStatus: 'SUCCESSFUL', resultStatus: 'SUCCESSFUL' })
      expect(same.items[0]).toMatchObject({ status: 'SUCCESSFUL', result: '100.0000', matchResult: '100.0000' })
      const equal = { leftRows: 4, rightRows: 4, equal: 4, changed: 0, onlyLeft: 0, onlyRight: 0 }
      expect(same.result).toMatchObject({ comparison: equal, qualityScore: 100, leftRowsScanned: 4 })
      expect(same.result.description).toBe('All 4 rows are equal.')
      const of = async (right: string) => (await start(equality, await create(equality, ['orders.csv', right]))).result
      expect(await of('more.csv')).toMatchObject({
        ...{ status: 'ERRORED', qualityScore: 0 },
        comparison: { equal: 4, onlyRight: 1, proof: { kind: 'ROW_COUNT', left: 4, right: 5 } },
      })
      expect((await of('narrow.csv')).comparison.proof).toEqual({ kind: 'SCHEMA', left: ['amount', 'at'], right: [] })
      expect((await of('changed.csv')).comparison).toMatchObject({
        ...{ equal: 3, changed: 0, onlyLeft: 1, onlyRight: 1 },
        proof: { kind: 'ROW', left: { id: 3, customer: 'Cid' }, right: null },
      })
    })

    test('given mappings with a key, when a reconciliation runs, then it counts rows, and shows and stores those that differ', async () => {
      const id = await create(reconciliation, ['orders.csv', 'copy.csv'], {
        ...{ mappings, items: [{ measurementType: 'EQUALITY' }] },
      })
      const { execution, items, result } = await start(reconciliation, id)
      expect(items[0]).toMatchObject({
        ...{
          status: 'ERRORED',
          rowsScanned: 5,
          rowsFailed: 5,
          result: '0.0000',
          leftRowsFailed: 4,
          rightRowsFailed: 4,
        },
        item: { measurementType: 'EQUALITY', name: 'EQUALITY' },
      })
      expect(result.comparison).toMatchObject({
        ...{ leftRows: 4, rightRows: 4, equal: 0, changed: 3, onlyLeft: 1, onlyRight: 1 },
        columns: [
          { leftColumnName: 'customer', rightColumnName: 'client', changed: 2 },
          { leftColumnName: 'id', rightColumnName: 'number', changed: 0 },
          { leftColumnName: 'amount', rightColumnName: 'total', changed: 2 },
        ],
      })
      const path = `${reconciliation}/executions/${execution.id}/rows`
      const { data, meta } = await client.good('GET', `${path}?size=2&page=0`)
      expect(meta).toMatchObject({ count: 5, fileRows: 5, rowsLeftOut: 0 })
      expect(data.rows[0]).toMatchObject({
        ...{ difference: 'CHANGED', changedColumns: ['customer'], ruleItemIds: [items[0].ruleItemId] },
        left: { id: 1, customer: 'Ann', amount: 10 },
        right: { number: 1, client: 'ann', total: 10 },
      })
      const last = await client.good('GET', `${path}?size=2&page=2`)
      expect(last.data.rows).toMatchObject([{ difference: 'ONLY_RIGHT', left: null, right: { number: 5 } }])
      const csv = await client.call('GET', `${path}/download?format=CSV`)
      expect(csv.text.split('\n')[0]).toBe(
        '__difference,__changed_columns,left_id,right_number,left_customer,right_client,left_amount,right_total,__rule_item_ids',
      )
    })

    test('given good rows to store, when a reconciliation runs, then it stores and shows the rows that agree', async () => {
      const near = [key, { ...customer, tolerance: { ignoreCase: true } }, { ...amount, tolerance: { absolute: 0.01 } }]
      const id = await create(reconciliation, ['orders.csv', 'copy.csv'], { mappings: near })
      const stores = { storeResult: true, sampleOnly: false }
      const configuration = { categoriesResultHandlingConfig: { good: stores, bad: stores } }
      await client.good('PUT', `${api}/rules/${id}/configuration`, configuration)
      await client.eventually(async () => {
        const { execution, result } = await start(reconciliation, id)
        expect(result.comparison).toMatchObject({ equal: 2, changed: 1, onlyLeft: 1, onlyRight: 1 })
        const path = `${reconciliation}/executions/${execution.id}/rows`
        const { data, meta } = await client.good('GET', `${path}?category=good`)
        expect(meta).toMatchObject({ count: 2, fileRows: 2, rowsLeftOut: 0 })
        const [{ values, ...first }, second] = data.rows
        expect(first).toEqual({
          ...{ ruleItemIds: [], left: { id: 1, customer: 'Ann', amount: 10 } },
          right: { number: 1, client: 'ann', total: 10 },
        })
        expect(Object.keys(values).slice(0, 3)).toEqual(['left_id', 'right_number', 'left_customer'])
        expect(second).toMatchObject({ left: { id: 2, amount: 20 }, right: { number: 2, total: 20.01 } })
        const csv = await client.call('GET', `${path}/download?category=good&format=CSV`)
        expect(csv.text.split('\n').slice(0, 2)).toEqual([
          'left_id,right_number,left_customer,right_client,left_amount,right_total',
          '1,1,Ann,ann,10.0,10.0',
        ])
        const parquet = await client.call('GET', `${path}/download?category=good`)
        expect([parquet.status, parquet.text.slice(0, 4)]).toEqual([200, 'PAR1'])
      })
    })

    test('given tolerances, operations and join types, when a reconciliation runs, then rows that agree by them pass', async () => {
      const near = [key, { ...customer, tolerance: { ignoreCase: true } }, { ...amount, tolerance: { absolute: 0.01 } }]
      const items = [{ measurementType: 'EQUALITY', thresholdConfig: atLeast(60) }, { measurementType: 'COUNT' }]
      const of = async (rule: object, rest: object = {}) => {
        const id = await create(reconciliation, ['orders.csv', 'copy.csv'], { mappings: near, items, ...rest }, rule)
        const run = await start(reconciliation, id)
        return [run.items[0].resultPercentage, run.items[0].status, run.items[1]?.result, run.execution.resultStatus]
      }
      expect(await of({})).toEqual([40, 'ERRORED', '100.0000', 'ERRORED'])
      expect(await of({ joinType: 'LEFT' })).toEqual([50, 'ERRORED', '100.0000', 'ERRORED'])
      expect(await of({ joinType: 'INNER' })).toEqual([66.6667, 'SUCCESSFUL', '100.0000', 'SUCCESSFUL'])
      const warned = [key, { ...customer, isWarning: true }, { ...amount, operation: 'LTE', isWarning: true }]
      expect(await of({ joinType: 'INNER' }, { mappings: warned })).toEqual([33.3333, 'WARNING', '100.0000', 'WARNING'])
    })

    test('given items of every kind, when a reconciliation runs, then each has its figures of both sides', async () => {
      const items = [
        { measurementType: 'COUNT' },
        { measurementType: 'ROW_COUNT_EQUALITY' },
        { measurementType: 'HASHED_EQUALITY' },
        { measurementType: 'PROFILE_EQUALITY' },
        { measurementType: 'TIMELINESS', columnName: 'at', value: { maxDelay: 90_000 } },
        {
          measurementType: 'CUSTOM',
          value: { leftSql: 'SELECT sum(amount) FROM asset', rightSql: 'SELECT sum(amount) FROM asset', absolute: 50 },
        },
      ]
      const id = await create(reconciliation, ['orders.csv', 'more.csv'], { items })
      const { items: found, result } = await start(reconciliation, id)
      const shown = found.map((one: Record<string, unknown>) => [
        one.result,
        one.leftResult,
        one.rightResult,
        one.error,
      ])
      expect(shown).toEqual([
        ['80.0000', '4', '5', null],
        ['0.0000', '4', '5', null],
        ['0.0000', '4', '5', null],
        ['0.0000', '0 of 4 columns', '0 of 4 columns', null],
        ['100.0000', expect.stringContaining('2024-01-04'), expect.stringContaining('2024-01-05'), null],
        ['100.0000', expect.stringMatching(/^60/), expect.stringMatching(/^110/), null],
      ])
      expect(result.qualityScore).toBeCloseTo(280 / 6, 3)
      expect(result.comparison).toBeNull()
    })

    test('given duplicate and NULL keys, when a reconciliation runs, then its result names them', async () => {
      const both = { leftColumnName: 'id', rightColumnName: 'id', useForJoining: true }
      const id = await create(reconciliation, ['orders.csv', 'doubled.csv'], { mappings: [both] })
      const { result, meta } = await start(reconciliation, id)
      expect(result.comparison).toMatchObject({ rightDuplicateKeys: 1, rightNullKeys: 1, leftDuplicateKeys: 0 })
      expect(meta.warnings.map(({ message }: { message: string }) => message)).toEqual([
        expect.stringContaining('In the right table, several rows have the same key (1 key)'),
        expect.stringContaining('In the right table, the key of 1 row has NULL'),
      ])
    })

    test('given two tables, when mappings are suggested, then they pair like columns and mark the key', async () => {
      const [leftBackingAsset, rightBackingAsset] = ['orders.csv', 'more.csv'].map((file) => ({
        tableAssetUid: `${name}.${file}`,
      }))
      const body = { leftBackingAsset, rightBackingAsset }
      const { mappings: found } = await client.good('POST', `${reconciliation}/suggestions`, body)
      expect(found).toHaveLength(4)
      expect(found[0]).toEqual({ ...columnNames('id'), useForJoining: true, mappingType: 'AUTO' })
      const run = await start(
        reconciliation,
        await create(reconciliation, ['orders.csv', 'more.csv'], { mappings: found }),
      )
      expect(run.result.comparison).toMatchObject({ equal: 4, onlyRight: 1 })
    })

    test('given definitions that can never work, then they are refused with the field', async () => {
      const both: [string, string] = ['orders.csv', 'copy.csv']
      const cases: [object, object, string][] = [
        [{}, { joinType: 'CROSS' }, 'rule.joinType'],
        [{ mappings: [{ ...key, operation: 'GT' }] }, {}, 'mappings[0].operation'],
        [{ mappings: [{ ...amount, tolerance: { absolute: 1 } }] }, {}, 'mappings[0].tolerance'],
        [{ mappings: [key, { ...customer, tolerance: { relative: 0.1 } }] }, {}, 'mappings[1].tolerance.relative'],
        [{ mappings: [{ leftColumnName: 'customer', rightColumnName: 'total' }] }, {}, 'mappings[0]'],
        [{ items: [{ measurementType: 'TIMELINESS' }] }, {}, 'items[0].columnName'],
        [{ items: [{ measurementType: 'CUSTOM', value: { leftSql: 'SELECT 1' } }] }, {}, 'items[0].value'],
        [{ items: [{ measurementType: 'COUNT', value: { maxDelay: 1 } }] }, {}, 'items[0].value'],
      ]
      for (const [body, rule, field] of cases) {
        const [status, message] = await refused(reconciliation, both, body, rule)
        expect([status, message]).toEqual([400, expect.stringContaining(field)])
      }
      const broken = { leftSql: 'SELECT nope FROM asset', rightSql: 'SELECT 1' }
      const items = [{ measurementType: 'CUSTOM', value: broken }]
      const [status, message] = await refused(reconciliation, both, { items })
      expect([status, message]).toEqual([400, expect.stringContaining('items[0].value.leftSql')])
    })
  })
}

const atLeast = (success: number) => ({ type: 'ABSOLUTE', config: { direction: 'ABOVE', success } })
const columnNames = (name: string) => ({ leftColumnName: name, rightColumnName: name })
