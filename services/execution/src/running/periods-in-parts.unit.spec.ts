import type { DataEngine, Metric, PeriodPlan } from '@assay/data-engine'
import { AssayError } from '@assay/service-kit/errors'
import { describe, expect, it } from 'vitest'
import { periodsInParts } from './periods-in-parts.ts'

const metrics = Array.from({ length: 8 }, (_, at): Metric => ({ kind: 'distinct', id: at + 1, column: `c${at}` }))
const dataset = {
  ...{ kind: 'files' as const, root: '/data', pattern: '/data/wide.csv', format: 'CSV' as const },
  ...{ partitioned: false, columns: [], fingerprint: '' },
}
const plan: PeriodPlan = { dataset, time: [], bounds: ['2026-01-01', '2026-01-02', '2026-01-03'], metrics }
const limits = { timeoutMs: 10_000, memoryMb: 512, threads: 1, maxTempMb: 100 }
const options = { signal: new AbortController().signal, limits }
const tooLarge = new AssayError('too-large', 'The run needed more memory than it may use.')

/** An engine that measures the metrics for which `fits` is true. Each statement takes `ms`. */
function engineWhere(fits: (ids: readonly number[]) => boolean, ms = 10) {
  const asked: number[][] = []
  const measurePeriods: DataEngine['measurePeriods'] = async ({ metrics: some, bounds }) => {
    const ids = some.map(({ id }) => id)
    asked.push(ids)
    if (!fits(ids)) throw tooLarge
    const results = ids.map((id) => ({ id, kind: 'rows' as const, scanned: 5, failed: 0 }))
    const periods = bounds.slice(1).map(() => ({ rows: 5, metrics: results }))
    return { periods, warnings: { total: 0, first: [] }, touched: [], elapsedMs: 7 }
  }
  const now = () => asked.length * ms
  return { asked, measure: () => periodsInParts({ measurePeriods }, plan, options, now) }
}
const idsOf = ({ periods }: Awaited<ReturnType<typeof periodsInParts>>) =>
  periods.map(({ rows, metrics: all }) => [rows, all.map(({ id }) => id)])
const all = metrics.map(({ id }) => id)

describe('metrics of periods', () => {
  it('given enough memory, then one statement measures all of them', async () => {
    const { asked, measure } = engineWhere(() => true)
    expect(await measure()).toMatchObject({ elapsedMs: 7 })
    expect(asked).toEqual([all])
  })

  it('given too little memory for all of them, then the parts are joined by period', async () => {
    const { asked, measure } = engineWhere((ids) => ids.length <= 4)
    const measured = await measure()
    expect(idsOf(measured)).toEqual([
      [5, all],
      [5, all],
    ])
    expect(measured.leftOut).toBeUndefined()
    expect(asked).toHaveLength(3)
  })

  it('given one metric that never fits, then only it is left out, with the reason', async () => {
    const measured = await engineWhere((ids) => !ids.includes(3)).measure()
    expect(idsOf(measured)[0]).toEqual([5, [1, 2, 4, 5, 6, 7, 8]])
    expect(measured.leftOut).toEqual(new Map([[3, tooLarge.message]]))
  })

  it('given no metric that fits, then the rows are still counted; given not even that, then the reason is said', async () => {
    const rowsOnly = await engineWhere((ids) => ids.length === 0).measure()
    expect(idsOf(rowsOnly)[1]).toEqual([5, []])
    expect(rowsOnly.leftOut?.size).toBe(8)
    expect(await engineWhere(() => false).measure()).toMatchObject({ periods: [], problem: tooLarge.message })
  })

  it('given a part that takes too long, then it and the remaining metrics are left out', async () => {
    const slow = new AssayError('timeout', 'It took too long.')
    const { measure } = engineWhere((ids) => {
      if (ids.includes(5) && ids.length === 4) throw slow
      return ids.length <= 4
    })
    const measured = await measure()
    expect(idsOf(measured)[0]).toEqual([5, [1, 2, 3, 4]])
    expect(measured.leftOut).toEqual(new Map([5, 6, 7, 8].map((id) => [id, slow.message])))
  })

  it('given half of the time spent, then the remaining metrics are left out', async () => {
    const { asked, measure } = engineWhere((ids) => ids.length <= 4, 2600)
    expect((await measure()).leftOut).toEqual(new Map([5, 6, 7, 8].map((id) => [id, tooLarge.message])))
    expect(asked).toEqual([all, [1, 2, 3, 4]])
  })
})
