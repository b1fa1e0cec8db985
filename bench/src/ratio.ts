/** A row of the table: a ratio to a baseline of the same run, and its target. */
export interface BenchRow {
  name: string
  ratio: number
  target: string
  detail: string
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

/** The quantile of the values at `part` (0 to 1). */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}

/** Runs both alternately, `pairs` times after an unmeasured run of each. Each returns its figure (ms, MB, ...). */
export async function interleaved(
  pairs: number,
  subject: () => Promise<number>,
  baseline: () => Promise<number>,
): Promise<{ ratio: number; subject: number; baseline: number }> {
  const subjects: number[] = []
  const baselines: number[] = []
  await baseline()
  await subject()
  for (let pair = 0; pair < pairs; pair += 1) {
    baselines.push(await baseline())
    subjects.push(await subject())
  }
  const ratios = subjects.map((value, index) => value / (baselines[index] ?? Number.NaN))
  return { ratio: median(ratios), subject: median(subjects), baseline: median(baselines) }
}
