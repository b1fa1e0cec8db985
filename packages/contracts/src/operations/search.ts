import { z } from 'zod'
import { pagingQuery, sizeText } from '../http/paging.ts'
import { assetSearchAnswer, discoverAnswer } from '../records/search.ts'
import { labelList } from '../values/labels.ts'
import { booleanText, idListText, plainText } from '../values/scalars.ts'
import { operation } from './operation.ts'
import { none } from './shapes.ts'

const base = '/catalog-server/api/assets'
const sortable = ['id', 'name', 'uid', 'createdAt', 'updatedAt'] as const
const name = plainText(1000)

export const searchAssets = operation({
  id: 'searchAssets',
  method: 'GET',
  path: `${base}/search`,
  service: 'catalog',
  permissions: ['ASSET_VIEW'],
  summary:
    'Finds assets by name: exact, prefix, prefix of a word, part, or with one typo. Without `page`, or with `page=-1`, returns up to 1,000 assets in one page; without `page`, `size` lowers that limit, and `size=0` returns only the count. `parents` has all ancestors, each once; with `flattenedParentHierarchy=false` only the outermost, each with its `children`.',
  params: none,
  query: z.object({
    ...pagingQuery(sortable),
    // There is no default: clients that send every default send size 25 with page -1, and expect all assets.
    page: z
      .string()
      .regex(/^(-1|\d{1,9})$/, 'must be a whole number, or -1 for all at once')
      .transform(Number)
      .meta({ description: 'Absent: like -1, limited by `size` if it is sent.' })
      .optional(),
    size: sizeText.optional(),
    name: name.optional(),
    ids: idListText.optional(),
    parentHierarchy: plainText(4000)
      .transform((ancestor) => ancestor || undefined)
      .optional(),
    profileableAssets: booleanText.optional(),
    forLineage: booleanText.optional(),
    flattenedParentHierarchy: booleanText.optional(),
    excludeLeafLevelAssetTypes: booleanText.optional(),
    includeDeleted: booleanText.optional(),
  }),
  answer: assetSearchAnswer,
  errors: [],
})
export const discoverAssets = operation({
  id: 'discoverAssets',
  method: 'GET',
  path: `${base}/discover`,
  service: 'catalog',
  permissions: ['ASSET_VIEW'],
  summary: 'Finds assets by filters, each with tags and labels, and counts the matches per facet.',
  params: none,
  query: z.object({
    ...pagingQuery(sortable),
    name: name.optional(),
    assembly_ids: idListText.optional(),
    asset_type_ids: idListText.optional(),
    source_type_ids: idListText.optional(),
    tag_ids: idListText.optional(),
    labels: labelList.optional(),
    parent_ids: idListText.optional(),
    watched: booleanText.optional(),
    parents: booleanText.optional(),
    includeDeleted: booleanText.optional(),
  }),
  answer: discoverAnswer,
  errors: [],
})
