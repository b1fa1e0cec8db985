import { defaultTemplate, type PolicyMessage } from '@assay/contracts'
import { describe, expect, it, vi } from 'vitest'
import { policyFixture, runFixture } from '../testing/fixtures.ts'
import { resultKeys } from './result-keys.ts'
import { resultLayout } from './result-layout.ts'

const configuration: PolicyMessage['configuration'] = {
  good: { store: true, format: 'PARQUET', template: defaultTemplate },
  bad: { store: true, format: 'JSON', template: '{{EXECUTION_ID}}/rows-{{RECORD_TYPE}}' },
  metadata: { template: defaultTemplate },
  prefix: 'team/a',
}
const run = runFixture({ configuration }, policyFixture({ name: '../orders & more' }))
const keys = resultKeys('default', run, 1)

describe('the location of results', () => {
  it('is below the tenant and the prefix, following the templates', () => {
    const common = `default/team/a/DATA_QUALITY/.._orders___more/2026-11-20/${run.requestId}`
    expect(keys).toEqual({
      root: 'default/team/a',
      good: `${common}/GOOD`,
      bad: 'default/team/a/5/rows-BAD',
      metadata: `${common}/SUMMARY`,
    })
  })

  it("has the engine's files and a preview", () => {
    const preview = [{ values: { order_id: 1 }, ruleItemIds: [1] }]
    const columns = [{ name: 'order_id', dataType: 'BIGINT' }]
    const kept = { kind: 'ROWS' as const, columns, good: null, bad: { count: 7, files: ['bad/part-0.json'], preview } }
    const { files, rows } = resultLayout({ keys, kept, configuration })
    expect(files).toEqual({
      root: 'default/team/a',
      metadata: { key: keys.metadata, file: 'part-0.json' },
      bad: { key: keys.bad, file: 'part-0.json', previewFile: 'preview.json', format: 'JSON', rows: 7 },
      good: null,
    })
    const text = JSON.stringify({ fields: [{ name: 'order_id', type: 'BIGINT', nullable: true }], rows: preview })
    expect(rows).toEqual([
      {
        key: keys.bad,
        files: [
          { name: 'part-0.json', from: 'bad/part-0.json' },
          { name: 'preview.json', text },
        ],
      },
    ])
  })

  it('has a preview even if there is no row', () => {
    const { files, rows } = resultLayout({
      keys,
      kept: { kind: 'ROWS', columns: [], good: { count: 0, files: [], preview: [] }, bad: null },
      configuration,
    })
    expect(files.good).toMatchObject({ file: null, rows: 0 })
    expect(rows).toMatchObject([{ key: keys.good, files: [{ name: 'preview.json' }] }])
  })

  it('given a comparison, then rows that differ are the bad rows, rows that agree the good ones, and each column has its side', () => {
    const columns = [
      { name: 'left_id', side: 'LEFT' as const, column: 'id', dataType: 'BIGINT' },
      { name: 'right_id', side: 'RIGHT' as const, column: 'id', dataType: 'BIGINT' },
    ]
    const row = { difference: 'ONLY_RIGHT' as const, changedColumns: [], left: null, right: { id: 7 } }
    const differing = { count: 1, stored: 1, files: ['differing/part-0.json'], columns, preview: [row] }
    const pair = { left: { id: 8 }, right: { id: 8 } }
    const agreeing = { count: 5, stored: 1, files: ['agreeing/part-0.parquet'], columns, preview: [pair] }
    const kept = { kind: 'COMPARED' as const, differing, agreeing, itemIds: [5] }
    const { files, rows } = resultLayout({ keys, kept, configuration })
    expect(files.bad).toMatchObject({ key: keys.bad, file: 'part-0.json', rows: 1, stored: 1, sides: columns })
    expect(files.good).toMatchObject({ key: keys.good, file: 'part-0.parquet', rows: 5, stored: 1, sides: columns })
    const [text = '{}', ofGood = '{}'] = rows.flatMap(({ files: placed }) =>
      placed.flatMap((file) => ('text' in file ? [file.text] : [])),
    )
    expect(JSON.parse(ofGood)).toMatchObject({
      fields: [{ name: 'left_id' }, { name: 'right_id' }],
      rows: [{ values: { left_id: 8, right_id: 8 }, ruleItemIds: [] }],
    })
    const onlyGood = resultLayout({ keys, kept: { ...kept, differing: null }, configuration })
    expect(onlyGood.files).toMatchObject({ bad: null, good: { sides: columns } })
    const values = { __difference: 'ONLY_RIGHT', __changed_columns: [], left_id: null, right_id: 7 }
    expect(JSON.parse(text)).toMatchObject({
      fields: [{ name: '__difference' }, { name: '__changed_columns' }, { name: 'left_id' }, { name: 'right_id' }],
      rows: [{ values, ruleItemIds: [5] }],
    })
  })

  it('given differing rows with very long values, then the names of their changed columns are whole', () => {
    const columns = [{ name: 'left_text', side: 'LEFT' as const, column: 'text', dataType: 'VARCHAR' }]
    const changedColumns = Array.from({ length: 300 }, (_, index) => `column ${index}`)
    const row = { difference: 'CHANGED' as const, changedColumns, left: { text: 'x'.repeat(6_000_000) }, right: {} }
    const differing = { count: 1, stored: 1, files: ['differing/part-0.json'], columns, preview: [row] }
    const kept = { kind: 'COMPARED' as const, differing, agreeing: null, itemIds: [5] }
    const files = resultLayout({ keys, kept, configuration }).rows[0]?.files ?? []
    const text = files.flatMap((file) => ('text' in file ? [file.text] : []))[0] ?? ''
    expect(JSON.parse(text).rows[0].values.__changed_columns).toEqual(changedColumns)
  })

  it('given rows with very long values, then the preview has all rows, and the beginnings of the long values', () => {
    const preview = [
      { values: { id: 1, text: 'x'.repeat(6_000_000), list: ['y'.repeat(6_000_000)] }, ruleItemIds: [1] },
      { values: { id: 2, text: 'short', list: ['z'] }, ruleItemIds: [2] },
    ]
    const columns = [{ name: 'id', dataType: 'BIGINT' }]
    const kept = { kind: 'ROWS' as const, columns, good: null, bad: { count: 2, files: ['bad/part-0.json'], preview } }
    const files = resultLayout({ keys, kept, configuration }).rows[0]?.files ?? []
    const text = files.flatMap((file) => ('text' in file ? [file.text] : []))[0] ?? ''
    expect(JSON.parse(text).rows).toEqual([
      {
        values: { id: 1, text: `${'x'.repeat(1000)}…`, list: `["${'y'.repeat(998)}…` },
        ruleItemIds: [1],
      },
      preview[1],
    ])
  })

  const previewOf = (values: { [name: string]: string }[]) => {
    const preview = values.map((row) => ({ values: row, ruleItemIds: [1] }))
    const columns = [{ name: 'text', dataType: 'VARCHAR' }]
    const kept = { kind: 'ROWS' as const, columns, good: null, bad: { count: 1, files: ['bad/part-0.json'], preview } }
    const files = resultLayout({ keys, kept, configuration }).rows[0]?.files ?? []
    return files.flatMap((file) => ('text' in file ? [file.text] : []))[0] ?? ''
  }

  it('given very long texts, then no text is serialised whole', () => {
    const long = Array.from({ length: 100 }, () => ({ text: 'x'.repeat(1_000_000) }))
    const stringify = vi.spyOn(JSON, 'stringify')
    try {
      previewOf(long)
      const written = stringify.mock.results.map(({ value }) => String(value).length)
      expect(Math.max(...written)).toBeLessThan(10_000)
    } finally {
      stringify.mockRestore()
    }
  })

  it('given a long text that would be cut within a character, then the whole character is dropped', () => {
    const [row] = JSON.parse(previewOf([{ text: `x${'😀'.repeat(3_000_000)}` }])).rows
    expect(row.values.text).toBe(`x${'😀'.repeat(499)}…`)
  })
})
