import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { withSettings } from './chart-settings.ts'
import { meanings } from './meanings.ts'
import { variablesTable, withTable } from './table.ts'

const textOf = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

test('docs/operations.md has the current table: otherwise run `npm run variables`', () => {
  const text = textOf('docs/operations.md')
  expect(text).toBe(withTable(text))
})

test('the chart allows the current settings: otherwise run `npm run variables`', () => {
  const path = 'deploy/helm/assay/values.schema.json'
  expect(JSON.parse(textOf(path))).toEqual(JSON.parse(withSettings(textOf(path))))
})

test('every variable with a description is read by a process', () => {
  const rows = variablesTable()
  expect(Object.keys(meanings).filter((name) => !rows.includes(`| \`${name}\` |`))).toEqual([])
})
