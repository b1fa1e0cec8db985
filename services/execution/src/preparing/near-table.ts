import type { TableMessage } from '@assay/contracts'
import { spellingsNear } from '@assay/contracts/nearest-name'
import { executionTables } from '../copies/tables.ts'
import type { Copies } from '../references/copies.ts'

/** The engine's sentence about a table that is neither `asset` nor found in the assembly. */
const noTable = /^There is no table "([\s\S]{1,64})" here\.(?= \(character |$)/

/** The sentence with the name of another table of the assembly that was probably meant, if there is one. */
export async function withNearTable(
  documents: Copies,
  tenant: string,
  { assemblyId, assetId }: Pick<TableMessage, 'assemblyId' | 'assetId'>,
  sentence: string,
): Promise<string> {
  const wanted = noTable.exec(sentence)?.[1]
  if (wanted === undefined) return sentence
  const where = [
    { field: 'assemblyId', is: assemblyId },
    { field: 'name', in: spellingsNear(wanted) },
  ]
  const { documents: found } = await documents.find(executionTables, tenant, { where, size: 100 })
  const near = found.find(({ table }) => !table.isDeleted && table.assetId !== assetId)?.table.name
  return near === undefined ? sentence : sentence.replace(' here.', () => ` here; did you mean "${near}"?`)
}
