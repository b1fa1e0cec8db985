import { formatType, parseType, similarityOf } from '@assay/data-engine'
import type { SchemaColumn } from './schema.ts'

export interface Rename {
  from: string
  to: string
  evidence: { samePosition: boolean; similarity: number }
}

/** Minimum similarity of the content: if the positions agree, and if they do not. */
const least = { samePosition: 0.5, alone: 0.9 }

/**
 * Only columns at the same position or with equal content are compared, because comparing more pairs would block other
 * requests.
 */
const maxPairs = 5_000
/** Maximum number of columns with equal content that a column is compared with. */
const maxEqual = 5

/**
 * Pairs of a removed and an added column that are one renamed column: they have the same type and similar content. Each
 * column is in at most one pair. The most similar pairs are chosen first; among equally similar pairs, those at the
 * same position. Pure.
 */
export function renamesOf(before: readonly SchemaColumn[], after: readonly SchemaColumn[]): Rename[] {
  const [old, now] = [new Set(before.map(({ name }) => name)), new Set(after.map(({ name }) => name))]
  const removed = before.filter(({ name }) => !now.has(name))
  const added = after.filter(({ name }) => !old.has(name))
  const [positions, newPositions] = [positionsOf(before, now), positionsOf(after, old)]
  const types = new Map([...removed, ...added].map(({ dataType }) => [dataType, formatType(parseType(dataType))]))
  const likely = removed.length * added.length > maxPairs ? likeliest(positions, added, newPositions) : () => added
  const pairs = removed.flatMap((one) =>
    likely(one).flatMap((other): Rename[] => {
      if (types.get(one.dataType) !== types.get(other.dataType)) return []
      const samePosition = positions.get(one.name) === newPositions.get(other.name)
      const similarity = one.content && other.content ? similarityOf(one.content, other.content) : 0
      if (similarity < (samePosition ? least.samePosition : least.alone)) return []
      const evidence = { samePosition, similarity: Math.round(similarity * 10_000) / 10_000 }
      return [{ from: one.name, to: other.name, evidence }]
    }),
  )
  const taken = { from: new Set<string>(), to: new Set<string>() }
  return pairs
    .sort(({ evidence: one }, { evidence: other }) => {
      const bySimilarity = other.similarity - one.similarity
      return bySimilarity === 0 ? Number(other.samePosition) - Number(one.samePosition) : bySimilarity
    })
    .filter(({ from, to }) => {
      if (taken.from.has(from) || taken.to.has(to)) return false
      taken.from.add(from)
      taken.to.add(to)
      return true
    })
}

/** For a removed column, the candidates: the added column at its position, and some with equal content. */
function likeliest(
  positions: ReadonlyMap<string, string>,
  added: readonly SchemaColumn[],
  newPositions: ReadonlyMap<string, string>,
): (removed: SchemaColumn) => SchemaColumn[] {
  const byPosition = new Map(added.map((column) => [newPositions.get(column.name), column]))
  const byContent = Map.groupBy(added, contentText)
  return (removed) => {
    const there = byPosition.get(positions.get(removed.name))
    const text = contentText(removed)
    const equal = text === '' ? [] : (byContent.get(text) ?? []).slice(0, maxEqual)
    return [...(there ? [there] : []), ...equal.filter((column) => column !== there)]
  }
}

/** A text that is equal for equal content; empty if there is none. */
function contentText({ content }: SchemaColumn): string {
  return content && content.values > 0 ? JSON.stringify(content) : ''
}

/**
 * The position of each column that the other schema lacks: the nearest common column before it, and the distance from
 * that column. So columns that were added or removed elsewhere do not change it.
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
