import { type ComparisonFigures, maskText } from '@assay/contracts'
import { z } from 'zod'
import type { SideName } from '../kinds/judging.ts'
import type { MeasuredSides } from './measures/measure.ts'

type Proof = NonNullable<ComparisonFigures['proof']>
type ProofRow = Extract<Proof, { kind: 'ROW' }>['left']

const maxColumns = 100
const maxCharacters = 1000

/** The cheapest evidence that two tables differ: their columns, their numbers of rows, or one row. Pure. */
export function proofOf({ lacking, rows, compared }: MeasuredSides): Proof | undefined {
  if (lacking !== null) return { kind: 'SCHEMA', left: lacking.left, right: lacking.right }
  if (rows.left !== rows.right) return { kind: 'ROW_COUNT', left: rows.left, right: rows.right }
  const first = compared?.first
  return first == null ? undefined : { kind: 'ROW', left: proofRow(first.left), right: proofRow(first.right) }
}

/** A row with as many columns, and as much of long values, as a record should have. */
function proofRow(row: { [column: string]: unknown } | null): ProofRow {
  if (row === null) return null
  const values = Object.entries(row).slice(0, maxColumns)
  return Object.fromEntries(values.map(([column, value]) => [column, shortened(value)]))
}

function shortened(value: unknown): z.infer<ReturnType<typeof z.json>> {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null')
  if (text.length <= maxCharacters) return z.json().parse(value ?? null)
  // Never ends within a surrogate pair.
  return `${text.slice(0, maxCharacters).replace(/[\ud800-\udbff]$/, '')}…`
}

/** The proof without values of hidden columns. Pure. */
export function maskedProof(proof: Proof, isHidden: (side: SideName, column: string) => boolean): Proof {
  if (proof.kind !== 'ROW') return proof
  const masked = (side: SideName, row: ProofRow): ProofRow =>
    row &&
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, isHidden(side, name) ? maskText : value]))
  return { kind: 'ROW', left: masked('LEFT', proof.left), right: masked('RIGHT', proof.right) }
}
