import type { DriftMeasure } from '@assay/contracts'
import { type ColumnState, maxBuckets } from '@assay/data-engine'
import type { ReadColumn } from '../profiles/column-metric.ts'
import { distributionOf, hasPositions } from '../profiles/distribution.ts'
import { type Bins, binsOf, type ShownBin, shownBins } from './bins.ts'
import { cramersV, type TestResult } from './chi-square.ts'
import { inShares, jensenShannonDistance, largestDifference, populationStabilityIndex } from './divergences.ts'
import { kolmogorovSmirnov, type Samples, samplesOf, wasserstein } from './ordered.ts'

/** How far a column is from its baseline. `pValue`: only for statistical tests. */
export interface Measured {
  value: number
  pValue: number | null
  /** Whether there are too many different values for an exact measure. */
  approximate: boolean
  bins: ShownBin[]
}

/** Why a column has no measure. */
export interface Unmeasured {
  problem: string
}

/** Both states of a column, or why they cannot be compared. Pure. */
export function comparable(
  reference: ColumnState,
  current: ColumnState,
): { reference: ReadColumn; current: ReadColumn } | Unmeasured {
  const unread = (when: string) => ({ problem: `The engine could not read the values ${when}.` })
  const [then, now] = [reference.known, current.known]
  if (now === null) return unread('of this column')
  if (then === null) return unread('of the baseline')
  if (hasPositions(reference.dataType) !== hasPositions(current.dataType))
    return { problem: `The type changed from ${reference.dataType} to ${current.dataType}.` }
  if (reference.hashedBy !== current.hashedBy)
    return { problem: 'Another version of the engine measured the baseline. The next run has a new baseline.' }
  if (then.count + reference.nulls === 0) return { problem: 'The baseline has no rows.' }
  return { reference: { ...reference, known: then }, current: { ...current, known: now } }
}

/** The measure of a column against its baseline. Pure. */
export function measured(
  measure: DriftMeasure,
  both: { reference: ReadColumn; current: ReadColumn },
): Measured | Unmeasured {
  const bins = binsOf(both.reference, both.current)
  const found = byBins(measure, bins) ?? byPositions(measure, both)
  if ('problem' in found) return found
  return { ...found, bins: shownBins(bins) }
}

type Found = Omit<Measured, 'bins'>

function byBins(measure: DriftMeasure, { reference, current, approximate }: Bins): Found | undefined {
  const [then, now] = [inShares(reference), inShares(current)]
  const distance = (value: number) => ({ value, pValue: null, approximate })
  switch (measure) {
    case 'JS':
      return distance(jensenShannonDistance(then, now))
    case 'PSI':
      return distance(populationStabilityIndex(then, now))
    case 'LINF':
      return distance(largestDifference(then, now))
    case 'CHI2': {
      const test = cramersV(reference, current)
      return test && { ...test, approximate }
    }
    case 'KS':
    case 'WASSERSTEIN':
      return undefined
    default:
      return measure satisfies never
  }
}

/** Measures that depend on the order of values. They leave out NULL. */
function byPositions(
  measure: DriftMeasure,
  { reference, current }: { reference: ReadColumn; current: ReadColumn },
): Found | Unmeasured {
  const [then, now] = [reference, current].map((column) => distributionOf(column, maxBuckets))
  if (then?.kind !== 'numbers' || now?.kind !== 'numbers')
    return { problem: `${measure} needs a column of numbers or times.` }
  const samples = samplesOf(then.spread, now.spread)
  const found = measure === 'KS' ? kolmogorovSmirnov(samples) : distanceOf(samples)
  if (found === undefined) return { problem: 'One side has only NULL, or values that are too far apart.' }
  return { ...found, approximate: samples.approximate }
}

function distanceOf(samples: Samples): (Omit<TestResult, 'pValue'> & { pValue: null }) | undefined {
  const value = wasserstein(samples)
  return value === undefined ? undefined : { value, pValue: null }
}
