import { type Collection, defineCollection } from '@assay/documents'
import { z } from 'zod'

const found = z.object({
  id: z.int(),
  name: z.string(),
  uid: z.string(),
  parentId: z.int().nullable(),
  assetTypeId: z.int(),
  sourceTypeId: z.int(),
  assemblyId: z.int(),
  isDeleted: z.boolean(),
})
export type BenchAsset = z.infer<typeof found>

/** Tables and their columns, with the fields that a search needs. */
export const benchAssets: Collection<BenchAsset> = defineCollection<BenchAsset>({
  name: 'bench_assets',
  version: 1,
  idType: 'integer',
  schema: found,
  fields: {
    name: { type: 'text', of: (asset) => asset.name },
    uid: { type: 'text', of: (asset) => asset.uid },
    parentId: { type: 'integer', of: (asset) => asset.parentId },
    assetTypeId: { type: 'integer', of: (asset) => asset.assetTypeId },
    sourceTypeId: { type: 'integer', of: (asset) => asset.sourceTypeId },
    assemblyId: { type: 'integer', of: (asset) => asset.assemblyId },
    isDeleted: { type: 'boolean', of: (asset) => asset.isDeleted },
  },
  search: {
    name: 'name',
    path: 'uid',
    parent: 'parentId',
    included: ['isDeleted', 'assetTypeId', 'sourceTypeId', 'assemblyId'],
  },
})

/** A generator of reproducible random numbers from 0 to `below` - 1. */
export function randomOf(seed: number): (below: number) => number {
  let state = seed >>> 0
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 4_294_967_296) * below)
  }
}

const subjects =
  'customer order payment invoice product shipment account session event user store supplier contract ticket campaign employee vehicle sensor claim policy'.split(
    ' ',
  )
const aspects =
  'id name amount status date code type total price quantity email address city country currency created updated deleted flag count rate score reason channel source target region segment version hash'.split(
    ' ',
  )
const forms = 'raw clean daily hourly staging final history archive snapshot delta'.split(' ')
const syllables = 'ba ko ri ta mu ne lo sa vi du pe ga zi ho fe'.split(' ')

/** `count` assets: tables with their columns. Half of the columns have common names, one in ten has a unique name. */
export function* benchAssetsOf(count: number): Generator<BenchAsset> {
  const random = randomOf(42)
  const pick = (list: readonly string[]) => list[random(list.length)] ?? ''
  const rare = () => Array.from({ length: 4 }, () => pick(syllables)).join('')
  let id = 0
  for (let table = 0; id < count; table += 1) {
    const tableId = ++id
    const assemblyId = 1 + (table % 20)
    const name = `${pick(subjects)}_${pick(aspects)}_${pick(forms)}_${table}`
    const uid = `warehouse${assemblyId}.main.${name}`
    const common = { sourceTypeId: 1 + (assemblyId % 3), assemblyId, isDeleted: false }
    yield {
      id: tableId,
      name,
      uid,
      parentId: null,
      assetTypeId: 4,
      ...common,
    }
    for (let column = 0; column < 49 && id < count; column += 1) {
      const kind = random(10)
      const common2 =
        kind < 5 ? `${pick(subjects)}_${pick(aspects)}` : `${pick(subjects)}_${pick(aspects)}_${pick(forms)}`
      const own = kind === 9 ? `${rare()}_${pick(aspects)}` : column === 0 ? 'id' : common2
      const columnName = kind === 8 ? own.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()) : own
      yield {
        id: ++id,
        name: columnName,
        uid: `${uid}.${columnName}`,
        parentId: tableId,
        assetTypeId: 5,
        ...common,
      }
    }
  }
}

/** Typical search texts: common terms, whole names, prefixes, parts of words, typos, paths, and unknown texts. */
export function searchMix(count: number): string[] {
  const random = randomOf(7)
  const pick = (list: readonly string[]) => list[random(list.length)] ?? ''
  const whole = () => `${pick(subjects)}_${pick(aspects)}`
  const typo = (word: string) => {
    const at = 1 + random(Math.max(1, word.length - 2))
    return word.slice(0, at) + word.slice(at + 1)
  }
  const kinds: (() => string)[] = [
    () => pick(aspects),
    () => pick(subjects),
    whole,
    () => whole().slice(0, 9),
    () => pick(subjects).slice(0, 3),
    () => pick(subjects).slice(1, 5),
    () => typo(pick(subjects)),
    () => `${pick(forms)} ${random(20_000)}`,
    () => Array.from({ length: 3 }, () => pick(syllables)).join(''),
    () => `main.${pick(subjects)}_${pick(aspects)}`,
    () => `xq${random(1000)}zz`,
    () => pick(['id', 'a', 'us', 'e_', 'date']),
  ]
  return Array.from({ length: count }, (_, at) => kinds[at % kinds.length]?.() ?? '')
}
