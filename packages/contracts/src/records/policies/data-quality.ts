import { strictly } from '../../fields/field-rules.ts'
import { optional } from '../../values/scalars.ts'
import { backfillInput } from '../backfill.ts'
import { itemRecord, ruleAnswer } from '../policy.ts'
import { emptyLists, itemInput, ruleInput } from '../policy-input.ts'
import { listOf, policyFamily } from './family.ts'

/** `backfill`: for items that learn usual values. */
const rule = ruleInput.extend({ backfill: optional(strictly(backfillInput)) })
const family = policyFamily('quality', {
  rule,
  lists: { items: listOf(itemInput), ...emptyLists },
  answer: ruleAnswer,
  item: itemRecord,
})
const { create } = family.requests

export const dataQuality = {
  ...family,
  // The interface requires `rule` in an update too, even if it is empty.
  requests: { create, update: create },
  example: {
    rule: {
      name: 'Movies are complete and plausible',
      description: 'Titles are there, ratings are known ones.',
      backingAsset: { tableAssetUid: 'samples.movies.json' },
    },
    items: [
      { name: 'every movie has a title', measurementType: 'MISSING_VALUES', columnName: 'Title' },
      {
        name: 'the rating is one of the MPAA list',
        measurementType: 'VALUES_IN_LIST',
        columnName: 'MPAA Rating',
        value: { values: ['G', 'PG', 'PG-13', 'R', 'NC-17', 'Not Rated'] },
      },
    ],
  },
} as const
