import { measurementType } from '@assay/contracts'
import { z } from 'zod'
import type { Suggestion } from './suggest.ts'

type Item = Pick<Suggestion, 'columnName' | 'measurementType' | 'value' | 'resultThreshold'>

const content = z.tuple([z.int(), z.string(), measurementType, z.record(z.string(), z.unknown()), z.number()])

/**
 * The id of a suggestion: its content as base64url. Suggestions are not stored. So after the next profile, and on every
 * replica, the id still means the same item.
 */
export function suggestionId(
  assetId: number,
  { columnName, measurementType: type, value, resultThreshold }: Item,
): string {
  return Buffer.from(JSON.stringify([assetId, columnName, type, value, resultThreshold])).toString('base64url')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The suggestion that an id contains; `undefined` if the id does not belong to this asset. */
export function suggestionOf(assetId: number, id: string): Item | undefined {
  const found = content.safeParse(parsed(Buffer.from(id, 'base64url').toString()))
  if (!found.success || found.data[0] !== assetId) return undefined
  const [, columnName, type, value, resultThreshold] = found.data
  return { columnName, measurementType: type, value, resultThreshold }
}
