import type { DriftMeasure } from '@assay/contracts'
import type { ColumnState } from '@assay/data-engine'
import { comparable, measured } from '@assay/reliability'
import type { Random } from './random.ts'

/** A distribution of whole numbers or of categories. `draw`: one value; `shift`: how far the distribution moved. */
export interface Population {
  name: string
  measures: readonly DriftMeasure[]
  draw(random: Random, shift: number): number
}

const stepsPerDeviation = 20
/** Normal, in steps of a twentieth of its standard deviation; a shift is in standard deviations. */
export const numbers: Population = {
  name: 'numbers',
  measures: ['JS', 'PSI', 'LINF', 'CHI2', 'KS', 'WASSERSTEIN'],
  draw: (random, shift) => Math.round(stepsPerDeviation * (random.normal() + shift)),
}
const shares = [0.4, 0.3, 0.2, 0.08, 0.02]
/** Five categories; a shift is the share of rows that move from the first to the second. */
export const categories: Population = {
  name: 'categories',
  measures: ['JS', 'PSI', 'LINF', 'CHI2'],
  draw(random, shift) {
    const moved = shares.map((share, index) => share + (index === 0 ? -shift : index === 1 ? shift : 0))
    let left = random.uniform()
    const at = moved.findIndex((share) => {
      left -= share
      return left < 0
    })
    return at === -1 ? shares.length - 1 : at
  },
}

/** The state of a column with a sample of a population, as a profile has it. */
export function sampleOf(population: Population, random: Random, rows: number, shift = 0): ColumnState {
  const counts = new Map<number, number>()
  for (let row = 0; row < rows; row += 1) {
    const value = population.draw(random, shift)
    counts.set(value, (counts.get(value) ?? 0) + 1)
  }
  const isNumber = population === numbers
  const values = [...counts]
    .sort(([one], [other]) => one - other)
    .map(([value, count]) => ({
      ...{ value: isNumber ? value : `c${value}`, position: isNumber ? value : null, hash: String(value), count },
    }))
  return {
    ...{ name: 'c', dataType: isNumber ? 'BIGINT' : 'VARCHAR', hashedBy: 'bench', nulls: 0, error: null },
    known: {
      ...{ count: rows, notFinite: null, least: values[0] ?? null, greatest: values.at(-1) ?? null },
      ...{ text: null, number: null, values: { kind: 'each', values } },
    },
  }
}

/** The drift between two samples in percent, as policies compare it with their thresholds. */
export function driftOf(measure: DriftMeasure, reference: ColumnState, current: ColumnState): number {
  const both = comparable(reference, current)
  const found = 'problem' in both ? both : measured(measure, both)
  if ('problem' in found) throw new Error(found.problem)
  return 100 * found.value
}
