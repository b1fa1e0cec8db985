import { parseType, similarityOf } from '@assay/data-engine'
import type { SchemaColumn } from './schema.ts'
import { isSameType } from './widening.ts'

export interface Rename {
  from: string
  to: string
  evidence: { samePosition: boolean; similarity: number }
}

/** Least similarity of the content if the position agrees, and if it does not. */
const least = { samePosition: 0.5, alone: 0.9 }

/** Comparing the content of more pairs would take too long, so only pairs at the same position are compared. */
const mostPairs = 1_000_000

/**
 * Columns that were renamed: a removed and an added one of the same type, whose content is similar. Each column is part
 * of one pair at most; the most similar pairs come first. Pure.
 */
export function renamesOf(before: readonly SchemaColumn[], after: readonly SchemaColumn[]): Rename[] {
  const [old, now] = [new Set(before.map(({ name }) => name)), new Set(after.map(({ name }) => name))]
  const removed = before.filter(({ name }) => !now.has(name))
  const added = after.filter(({ name }) => !old.has(name))
  const areMany = removed.length * added.length > mostPairs
  const [positions, newPositions] = [positionsOf(before, now), positionsOf(after, old)]
  const types = new Map([...removed, ...added].map(({ dataType }) => [dataType, parseType(dataType)]))
  const hasSameType = (one: SchemaColumn, other: SchemaColumn) => {
    const [left, right] = [types.get(one.dataType), types.get(other.dataType)]
    return left !== undefined && right !== undefined && isSameType(left, right)
  }
  const pairs = removed.flatMap((one) =>
    added.flatMap((other): Rename[] => {
      const samePosition = positions.get(one.name) === newPositions.get(other.name)
      if ((areMany && !samePosition) || !hasSameType(one, other)) return []
      const similarity = one.content && other.content ? similarityOf(one.content, other.content) : 0
      if (similarity < (samePosition ? least.samePosition : least.alone)) return []
      const evidence = { samePosition, similarity: Math.round(similarity * 10_000) / 10_000 }
      return [{ from: one.name, to: other.name, evidence }]
    }),
  )
  const rank = ({ evidence }: Rename) => evidence.similarity + (evidence.samePosition ? 1 : 0)
  const taken = { from: new Set<string>(), to: new Set<string>() }
  return pairs
    .sort((one, other) => rank(other) - rank(one))
    .filter(({ from, to }) => {
      if (taken.from.has(from) || taken.to.has(to)) return false
      taken.from.add(from)
      taken.to.add(to)
      return true
    })
}

/**
 * The position of each column that the other schema lacks: after which common column, and how far. So a column that was
 * added or removed elsewhere does not move it.
 */
function positionsOf(columns: readonly SchemaColumn[], common: ReadonlySet<string>): Map<string, string> {
  const positions = new Map<string, string>()
  let [after, place] = ['', 0]
  for (const { name } of columns) {
    if (common.has(name)) [after, place] = [name, 0]
    else {
      place += 1
      positions.set(name, `${place} ${after}`)
    }
  }
  return positions
}
