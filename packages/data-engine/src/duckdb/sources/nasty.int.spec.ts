import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { nastyCsvFiles, nastyJsonFiles } from '@assay/testkit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Fixture, openFixture } from './fixture.ts'

let fixture: Fixture
beforeEach(async () => {
  fixture = await openFixture()
})
afterEach(() => fixture.close())

describe('given an odd CSV file', () => {
  it.each(nastyCsvFiles)('$name: $about', async (file) => {
    const path = join(fixture.folder, file.name)
    await writeFile(path, file.bytes)

    const [table] = await fixture.tables({ sourceType: 'FILE', path: fixture.folder })
    if (table === undefined) throw new Error('the file was not found')
    expect(table.columns.map(({ name, dataType }) => ({ name, dataType }))).toEqual(file.columns)
    expect(table.rowCount).toBe(file.rows.length)
    expect(table.warnings.total).toBe(file.warnings.length)
    expect(table.warnings.first).toEqual(
      file.warnings.map(({ line, about }) => ({ line, message: expect.stringContaining(about) })),
    )

    const mounted = await fixture.mount(table)
    expect(mounted.columns).toEqual(file.columns)
    await fixture.lockDown(mounted)
    expect(await fixture.cells(mounted)).toEqual(file.rows)
    expect(mounted.warnings).toEqual(table.warnings)
  })
})

describe('given an odd JSON file', () => {
  it.each(nastyJsonFiles)('$name: $about', async (file) => {
    await writeFile(join(fixture.folder, file.name), file.text)

    const found = await fixture.discover({ sourceType: 'FILE', path: fixture.folder })
    expect(found.filter((one) => one.kind === 'failed')).toEqual([])
    const table = found.find((one) => one.kind === 'table')
    if (table === undefined) throw new Error('the file was not found')
    expect(table.columns.map(({ name, dataType }) => ({ name, dataType }))).toEqual(file.columns)
    expect(table.rowCount).toBe(file.rows.length)

    const mounted = await fixture.mount(table)
    expect(mounted.columns).toEqual(file.columns)
    await fixture.lockDown(mounted)
    expect(await fixture.cells(mounted)).toEqual(file.rows)
  })
})
