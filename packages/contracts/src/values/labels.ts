import { z } from 'zod'
import { listText, plainText, unlessEmpty } from './scalars.ts'

const isPair = (text: string) => text.slice(1).includes(':')

/** `<key>:<value>` of a label. */
export const labelPair = plainText(4000).refine(isPair, 'must be <key>:<value>')

/**
 * Labels as text with commas. Even if they are percent-encoded, 4,000 characters of any script fit into the request head
 * together with the other fields.
 */
export const labelList = plainText(4000)
  .pipe(listText)
  .transform((pairs, context) => {
    if (!pairs.every(isPair))
      context.addIssue({ code: 'custom', message: 'must be a comma-separated list of <key>:<value>' })
    return pairs
  })
  .pipe(z.array(z.string()).max(100))
  .transform(unlessEmpty)
