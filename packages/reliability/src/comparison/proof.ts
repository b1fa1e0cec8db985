import { type ComparisonFigures, cutText, maskText } from '@assay/contracts'
import { z } from 'zod'
import type { SideName } from '../kinds/judging.ts'
import { hiddenInPairs, type IsHidden, type Mapped } from './hidden-columns.ts'
import type { MeasuredSides } from './measures/measure.ts'
import { failedRows } from './measures/rows.ts'

type Proof = NonNullable<ComparisonFigures['proof']>
type ProofRow = Extract<Proof, { kind: 'ROW' }>['left']

const none = { changed: 0, onlyLeft: 0, onlyRight: 0 }
const alone = {
  CHANGED: { ...none, changed: 1 },
  ONLY_LEFT: { ...none, onlyLeft: 1 },
  ONLY_RIGHT: { ...none, onlyRight: 1 },
} as const

const maxColumns = 100
const maxCharacters = 1000

/**
 * The cheapest evidence that two tables differ in a way that the join type does not allow: their columns, their numbers
 * of rows, or one row. Pure.
 */
export function proofOf({ lacking, rows, compared, policy: { joinType } }: MeasuredSides): Proof | undefined {
  if (lacking !== null) return { kind: 'SCHEMA', left: lacking.left, right: lacking.right }
  const counts = { kind: 'ROW_COUNT' as const, left: rows.left, right: rows.right }
  const surplus = (one: number, other: number) => Math.max(0, one - other)
  const left = surplus(rows.left, rows.right)
  const right = surplus(rows.right, rows.left)
  // At least this many rows are on one side only.
  if (failedRows({ changed: 0, onlyLeft: left, onlyRight: right }, joinType) > 0) return counts
  if (Math.min(rows.left, rows.right) === 0) return counts
  const failing = compared?.firsts.find(({ difference }) => failedRows(alone[difference], joinType) > 0)
  // If no single row can fail, the tables have no row in common, and any row shows this.
  const shown = failing ?? compared?.firsts[0]
  return shown === undefined ? undefined : { kind: 'ROW', left: proofRow(shown.left), right: proofRow(shown.right) }
}

/** A row for a record, with limited numbers of columns and characters per value. */
function proofRow(row: { [column: string]: unknown } | null): ProofRow {
  if (row === null) return null
  const values = Object.entries(row).slice(0, maxColumns)
  return Object.fromEntries(values.map(([column, value]) => [column, shortened(value)]))
}

function shortened(value: unknown): z.infer<ReturnType<typeof z.json>> {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null')
  if (text.length <= maxCharacters) return z.json().parse(value ?? null)
  return `${cutText(text, maxCharacters)}…`
}

/** The proof without values of hidden columns, and of columns that are compared with them. Pure. */
export function maskedProof(proof: Proof, { mappings }: Mapped, isOwnHidden: IsHidden): Proof {
  if (proof.kind !== 'ROW') return proof
  const mapped = mappings.map(({ leftColumnName: left, rightColumnName: right }) => ({ left, right }))
  const sameNames = Object.keys({ ...proof.left, ...proof.right }).map((name) => ({ left: name, right: name }))
  const isHidden = hiddenInPairs(mapped.length === 0 ? sameNames : mapped, isOwnHidden)
  const masked = (side: SideName, row: ProofRow): ProofRow =>
    row &&
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, isHidden(side, name) ? maskText : value]))
  return { kind: 'ROW', left: masked('LEFT', proof.left), right: masked('RIGHT', proof.right) }
}
