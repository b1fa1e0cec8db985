import type { DatasetLocator, LineWarnings } from './dataset.ts'
import type { ContentSketch } from './states/content-sketch.ts'

/** The request to describe a dataset and to read its first rows. */
export interface DescribePlan {
  dataset: DatasetLocator
}

/** A column as the source has it now. `content`: a sketch of its values in the first rows. */
export interface DescribedColumn {
  name: string
  dataType: string
  nullable: boolean
  content: ContentSketch
}

export interface Described {
  columns: DescribedColumn[]
  warnings: LineWarnings
  elapsedMs: number
}

const mostRows = 1000
const fewestRows = 20
const mostValues = 200_000

/** The number of first rows to read. Wide tables get fewer. Pure. */
export function describedRows(columns: number): number {
  return Math.max(fewestRows, Math.min(mostRows, Math.floor(mostValues / Math.max(1, columns))))
}
