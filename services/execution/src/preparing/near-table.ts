import type { TableMessage } from '@assay/contracts'
import { spellingsNear } from '@assay/contracts/nearest-name'
import { executionTables } from '../copies/tables.ts'
import type { Copies } from '../references/copies.ts'
import { tablesCalled } from '../references/find-references.ts'

/** The engine's sentence about a table that is neither `asset` nor found in the assembly. */
const noTable = /^There is no table "([\s\S]{1,64})" here\.(?= \(character |$)/

/**
 * The sentence with what was probably meant, if anything was: the path of one of several tables with this name, or the
 * similar name or path of another table of the assembly.
 */
export async function withNearTable(
  documents: Copies,
  tenant: string,
  { assemblyId, assetId }: Pick<TableMessage, 'assemblyId' | 'assetId'>,
  sentence: string,
): Promise<string> {
  const wanted = noTable.exec(sentence)?.[1]
  if (wanted === undefined) return sentence
  const isOther = (table: TableMessage) => !table.isDeleted && table.assetId !== assetId
  const pathOf = ({ path = [] }: TableMessage) => path.slice(1).join('/')
  const { byName } = await tablesCalled(documents, tenant, assemblyId, wanted)
  const same = byName.filter(({ isDeleted }) => !isDeleted)
  const [first] = same.filter(isOther)
  if (first !== undefined && same.length > 1)
    return `There are several tables "${wanted}"; name one by its path, such as "${pathOf(first)}"${placeIn(sentence)}`
  const spellings = spellingsNear(wanted)
  const last = wanted.slice(wanted.lastIndexOf('/') + 1)
  const names = last === wanted ? spellings : [last, ...spellingsNear(last)]
  const where = [
    { field: 'assemblyId', is: assemblyId },
    { field: 'name', in: names },
  ]
  const { documents: found } = await documents.find(executionTables, tenant, { where, size: 100 })
  const near = found
    .flatMap(({ table }) => (isOther(table) ? [last === wanted ? table.name : pathOf(table)] : []))
    .find((name) => spellings.includes(name))
  return near === undefined ? sentence : sentence.replace(' here.', () => ` here; did you mean "${near}"?`)
}

const placeIn = (sentence: string) => sentence.slice(sentence.lastIndexOf(' here.') + ' here'.length)
