import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type ColumnFigures, figuresOf } from '@assay/reliability'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createEngineInProcess } from '../../testing/engine-in-process.ts'
import { onlyTable } from '../../testing/plans.ts'
import type { DuckDbEngine } from '../engine.ts'

/** Written by profile-figures.py, without a database. */
const stated = z.record(
  z.string(),
  z.object({
    texts: z.array(z.string().nullable()),
    figures: z.looseObject({
      histogram: z.array(z.int()).optional(),
      typeCounts: z.record(z.string(), z.int()).optional(),
    }),
  }),
)

let folder: string
let engine: DuckDbEngine
let columns: z.infer<typeof stated>
const found = new Map<string, ColumnFigures>()

const quoted = (text: string | null) => (text === null ? '' : `"${text.replaceAll('"', '""')}"`)

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'assay-figures-'))
  columns = stated.parse(JSON.parse(await readFile(new URL('profile-figures.json', import.meta.url), 'utf8')))
  const names = Object.keys(columns)
  const rows = columns[names[0] ?? '']?.texts.map((_, row) =>
    names.map((name) => quoted(columns[name]?.texts[row] ?? null)),
  )
  const file = path.join(folder, 'columns.csv')
  await writeFile(file, [names.join(','), ...(rows ?? []).map((row) => row.join(','))].join('\n'))
  engine = createEngineInProcess({ memoryMb: 400 })
  const dataset = await onlyTable(engine, { sourceType: 'FILE', path: file })
  const profile = await engine.profile({ dataset }, { signal: new AbortController().signal })
  for (const column of profile.columns) found.set(column.name, figuresOf(column))
})
afterAll(async () => {
  await engine.close()
  await rm(folder, { recursive: true, force: true })
})

/** Doubles may differ in the last digits. */
const close = (value: unknown) =>
  typeof value === 'number' && !Number.isInteger(value) ? expect.closeTo(value, Math.abs(value) > 1e6 ? 0 : 8) : value

describe('figures of a profile', () => {
  it.each(['skewed', 'few', 'doubles', 'codes', 'mixed'])('%s: are those of an independent computation', (name) => {
    const { histogram, typeCounts, ...figures } = columns[name]?.figures ?? {}
    const profile = found.get(name)
    expect(profile).toMatchObject(
      Object.fromEntries(Object.entries(figures).map(([key, value]) => [key, close(value)])),
    )
    expect(profile?.histogram?.map(({ count }) => count)).toEqual(histogram)
    const counts = profile?.typeCounts?.map(({ type, count }) => [type, count])
    expect(counts && Object.fromEntries(counts)).toEqual(typeCounts)
  })

  it('given texts of more forms than a state holds, then it has no patterns', async () => {
    const file = path.join(folder, 'forms.csv')
    const form = (row: number) => [...row.toString(4).padStart(6, '0')].map((digit) => 'aA9-'[Number(digit)]).join('')
    const texts = Array.from({ length: 1_100 }, (_, row) => form(row))
    await writeFile(file, ['early', ...texts].join('\n'))
    const signal = new AbortController().signal
    const dataset = await onlyTable(engine, { sourceType: 'FILE', path: file })
    const early = await engine.profile({ dataset }, { signal })
    expect(early.columns[0]?.known?.text?.patterns).toBeNull()
  })

  it('given values of a type that cannot have a figure, then it is null', () => {
    expect(found.get('few')).toMatchObject({ empty: null, patterns: null, trueCount: null, inferredType: null })
    expect(found.get('codes')).toMatchObject({ sum: null, skewness: null, histogram: null, inferredType: 'TEXT' })
    expect(found.get('skewed')?.sum).toBe(columns.skewed?.figures.sum)
  })
})
