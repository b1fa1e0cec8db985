import type { Assembly, Asset, ChildAsset } from '@assay/contracts'
import type { Documents, JsonWithRelated, Related, Stored } from '@assay/documents'
import { stateText } from '@assay/event-store'
import { AssayError } from '@assay/service-kit/errors'
import { type AssemblyDocument, assemblies } from '../assembly/aggregate.ts'
import { type AssetDocument, assets } from '../asset/collections.ts'
import { type AssetConfigurationDocument, assetConfigurations } from '../asset-configuration/aggregate.ts'
import { assetTypeOf } from '../types/asset-types.ts'
import { bucketedDataType } from '../types/bucketed-data-type.ts'
import { sourceTypeOf } from '../types/source-types.ts'

const maxRecordTexts = 1000

function customTypeOf(assetTypeId: number): 'SQL_VIEW' | 'SQL_VIEW_COLUMN' | null {
  const { name } = assetTypeOf(assetTypeId)
  return name === 'SQL_VIEW' || name === 'SQL_VIEW_COLUMN' ? name : null
}

/** The record of an asset without the record of its assembly. */
function ownRecord(document: AssetDocument, description: string): Omit<Asset, 'assembly'> {
  const { id, uid, name, parentId, isDeleted, createdAt, updatedAt } = document
  const customAssetType = customTypeOf(document.assetTypeId)
  return {
    id,
    uid,
    name,
    alias: null,
    description,
    parentId,
    assetType: assetTypeOf(document.assetTypeId),
    sourceType: sourceTypeOf(document.sourceTypeId),
    isActive: !isDeleted,
    isCustom: customAssetType !== null,
    isDeleted,
    isSegmented: false,
    customAssetType,
    currentSnapshot: null,
    snapshots: [],
    imprint: null,
    createdAt,
    updatedAt,
  }
}

function missingAssembly(assetId: number): AssayError {
  return new AssayError('internal', `The assembly of asset ${assetId} is not known.`)
}

/** The related documents for an asset's record. */
const relatedDocuments: readonly Related[] = [
  { collection: assemblies, by: 'assemblyId' },
  { collection: assetConfigurations, by: 'id' },
]

/** The text of an assembly's record, cached by the text of its document, because many assets share it. */
function createRecordTexts(): (assembly: string) => string {
  const known = new Map<string, string>()
  return (assembly) => {
    const before = known.get(assembly)
    if (before !== undefined) return before
    // A changed document has another text, so entries never become stale. The cache is emptied when it is full.
    if (known.size >= maxRecordTexts) known.clear()
    const { record }: AssemblyDocument = JSON.parse(assembly)
    const text = JSON.stringify(record)
    known.set(assembly, text)
    return text
  }
}

function descriptionIn(configuration: string | undefined): string {
  if (configuration === undefined) return ''
  const { settings }: AssetConfigurationDocument = JSON.parse(configuration)
  return typeof settings.description === 'string' ? settings.description : ''
}

/** The text of an answer with one asset, and the state that it shows. */
interface AssetText {
  text: string
  states: readonly string[]
}

/** The state that an answer with an asset shows: that of its table. Not all services that copy tables copy folders. */
export function statesOf({ document, source }: Pick<Stored<AssetDocument>, 'document' | 'source'>): string[] {
  const type = assetTypeOf(document.assetTypeId)
  return type.canSample ? [stateText('asset', document.tableId ?? document.id, source.revision)] : []
}

/** Makes the text of the answer with one asset; `undefined` if there is no such asset. */
export function createAssetText(documents: Documents): (tenant: string, id: number) => Promise<AssetText | undefined> {
  const recordText = createRecordTexts()
  const cached = new WeakMap<JsonWithRelated, AssetText>()

  function make(id: number, found: JsonWithRelated): AssetText {
    const document: AssetDocument = JSON.parse(found.text)
    const [assembly, configuration] = found.related
    if (assembly === undefined) throw missingAssembly(id)
    const own = JSON.stringify(ownRecord(document, descriptionIn(configuration)))
    const text = `{"data":${own.slice(0, -1)},"assembly":${recordText(assembly)}}}`
    // Cached as long as the row, so it holds only what the answer needs.
    return { text, states: statesOf({ document, source: found.source }) }
  }

  return async (tenant, id) => {
    const found = await documents.getJsonWithRelated(assets, tenant, id, relatedDocuments)
    if (found === undefined) return undefined
    const before = cached.get(found)
    if (before !== undefined) return before
    const answer = make(id, found)
    cached.set(found, answer)
    return answer
  }
}

/** Descriptions that users set, by asset id; assets without one are left out. */
async function descriptions(
  documents: Documents,
  tenant: string,
  found: readonly AssetDocument[],
): Promise<Map<number, string>> {
  const ids = found.map(({ id }) => id)
  const [only] = ids
  if (only === undefined) return new Map()
  const set =
    ids.length === 1
      ? [(await documents.get(assetConfigurations, tenant, only))?.document]
      : (await documents.find(assetConfigurations, tenant, { where: [{ field: 'id', in: ids }], size: ids.length }))
          .documents
  return new Map(
    set.flatMap((one) => {
      const description = one?.settings.description
      return one !== undefined && typeof description === 'string' ? [[one.assetId, description] as const] : []
    }),
  )
}

/** The records of assets, each with the current record of its assembly, even if that is deleted. */
export async function assetRecords(
  documents: Documents,
  tenant: string,
  found: readonly AssetDocument[],
): Promise<Asset[]> {
  const ids = [...new Set(found.map(({ assemblyId }) => assemblyId))]
  const known = new Map<number, Assembly>()
  const [first] = ids
  if (ids.length === 1 && first !== undefined) {
    // Reading one assembly by its id costs a third of a query.
    const record = (await documents.get(assemblies, tenant, first))?.document.record
    if (record !== undefined) known.set(record.id, record)
  } else if (ids.length > 1) {
    const answer = await documents.find(assemblies, tenant, { where: [{ field: 'id', in: ids }], size: ids.length })
    for (const { record } of answer.documents) known.set(record.id, record)
  }
  const described = await descriptions(documents, tenant, found)
  return found.map((document) => {
    const assembly = known.get(document.assemblyId)
    if (assembly === undefined) throw missingAssembly(document.id)
    return { ...ownRecord(document, described.get(document.id) ?? ''), assembly }
  })
}

/** The short record of an asset among the children of another. `inferred`: the type of its values. */
export function childAssetRecord(
  document: AssetDocument,
  { isProtected, inferred }: { isProtected: boolean; inferred: string | undefined },
): ChildAsset {
  const { id, uid, name, parentId, updatedAt } = document
  const dataType = inferred ?? document.dataType
  return {
    assetId: id,
    uid,
    name,
    alias: null,
    parentId,
    childType: assetTypeOf(document.assetTypeId),
    dataType,
    bucketedDataType: bucketedDataType(dataType),
    isCustom: customTypeOf(document.assetTypeId) !== null,
    protected: isProtected,
    reliabilityScore: null,
    updatedAt,
  }
}
