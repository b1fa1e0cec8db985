import type { Documents } from '@assay/documents'
import { dayMs, type LookBack, summaryOf } from '@assay/reliability'
import { expect, it } from 'vitest'
import { readHistories } from './read-histories.ts'

it('given a thousand series with ten values a day, then they are read in small parts, and other work gets its turn', async () => {
  const now = Date.parse('2026-11-20T10:00:00.000Z')
  const keys = Array.from({ length: 1_000 }, (_, index) => `key ${index}`)
  const of = <T>(value: T) => Object.fromEntries(keys.map((key) => [key, value]))
  const days = Array.from({ length: 30 }, (_, index) => Math.floor(now / dayMs) - index - 1)
  const runs = days.flatMap((day) => Array.from({ length: 10 }, (_, index) => ({ day, at: day * dayMs + index })))
  const summaries = new Map(
    days.map((day) => {
      const points = runs.filter((run) => run.day === day).map(({ at }) => ({ at, value: '5' }))
      return [day, of(summaryOf(points))]
    }),
  )
  const points = of('5')
  const found = (documents: object[]) => ({ documents, count: documents.length })
  const largest = new Map<string, number>()
  const find = async (
    { name }: { name: string },
    _tenant: string,
    { where = [], page = 0, size }: { where?: object[]; page?: number; size: number },
  ) => {
    const pageOf = <T>(all: T[]) => all.slice(page * size, (page + 1) * size)
    const range = where.find((one) => 'from' in one)
    const [from, to] = range && 'from' in range && 'to' in range ? [Number(range.from), Number(range.to)] : [0, 0]
    const isWithin = (value: number) => value >= from && value <= to
    largest.set(name, Math.max(size, largest.get(name) ?? 0))
    return name === 'execution_series_days'
      ? found(
          pageOf(days.filter(isWithin)).map((day) => ({ day, marks: [], periods: [], summaries: summaries.get(day) })),
        )
      : found(pageOf(runs.filter(({ at }) => isWithin(at))).map(({ at }, executionId) => ({ executionId, at, points })))
  }
  let turns = 0
  let isDone = false
  const takeTurns = () => {
    turns += 1
    if (!isDone) setImmediate(takeTurns)
  }
  setImmediate(takeTurns)
  const config = { successSensitivityLevel: 'MEDIUM' as const, warningSensitivityLevel: undefined }
  const asked = keys.map((key): LookBack => ({ key, threshold: { type: 'ANOMALY', config } }))
  const documents = { find } as unknown as Pick<Documents, 'find'>
  const histories = await readHistories(documents, { tenant: 'default', policyId: 7, asked, now, timeZone: null })
  isDone = true
  expect(histories.get('key 7')?.days).toHaveLength(30)
  expect(turns).toBeGreaterThan(2)
  // A read of more than 2,000 values blocks other requests for too long.
  expect([...largest.values()].filter((documents) => documents > 2)).toEqual([])
})
