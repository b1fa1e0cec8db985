import { type ItemValues, itemValues, pathText } from '@assay/contracts'
import type { z } from 'zod'
import { ImpossibleDefinition } from './definition.ts'

/** The parsed `value`, or the first thing that is wrong with it. */
export function readValue<Kind extends keyof ItemValues>(
  kind: Kind,
  value: Record<string, unknown> | null,
): z.output<ItemValues[Kind]> {
  const parsed = itemValues[kind].safeParse(value ?? {})
  // The schema is the one of this very kind; the compiler loses the link through the index.
  if (parsed.success) return parsed.data as z.output<ItemValues[Kind]>
  const [issue] = parsed.error.issues
  throw new ImpossibleDefinition(pathText(['value', ...(issue?.path ?? [])]), issue?.message ?? 'cannot be read')
}
