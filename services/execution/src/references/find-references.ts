import type { ViewState } from '@assay/catalog-copies'
import type { TableMessage } from '@assay/contracts'
import { type DatasetLocator, endsOf, longestName, quotedNames } from '@assay/data-engine'
import type { Needs, References, UdfTemplate } from '@assay/reliability'
import { executionTables } from '../copies/tables.ts'
import type { Copies } from './copies.ts'
import { executionTemplates, executionVariables, pathKey } from './copies.ts'
import { currentViewState, datasetOf, tagsOfTenant } from './tags.ts'

/** The policy's table, from which references are resolved. */
export type ReferringTable = Pick<TableMessage, 'assetId' | 'assemblyId' | 'path'> & {
  columns: readonly { id: number; name: string }[]
}

/** `viewSources`: the tables that referenced views currently read, directly or through other views. */
type FoundReferences = References & { viewSources: readonly number[] }

/** Everything that items reference other than columns of their own table, from the local read models. */
export async function findReferences(
  documents: Copies,
  tenant: string,
  table: ReferringTable,
  needs: Needs,
): Promise<FoundReferences> {
  const [variables, udfs, lookups, tables, tags] = await Promise.all([
    variablesOf(documents, tenant, table),
    templatesOf(documents, tenant, needs.udfIds),
    lookupsOf(documents, tenant, needs.lookupAssetIds),
    tablesOf(documents, tenant, table, needs.selects),
    tagsOf(documents, tenant, table, needs.tags),
  ])
  const referenced = [...lookups.values(), ...tables.values()]
  return {
    variables,
    viewSources: [...new Set(referenced.flatMap(({ sourceIds = [] }) => sourceIds))],
    udf: (id) => udfs.get(id),
    lookup: (id) => lookups.get(id),
    views({ lookupAssetIds, selects }) {
      const ofIds = lookupAssetIds.map((id) => lookups.get(id))
      const ofNames = selects.flatMap(quotedNames).map((name) => tables.get(name))
      return [...ofIds, ...ofNames].flatMap((one) => one?.view ?? [])
    },
    tables: (sql) =>
      quotedNames(sql).flatMap((name) => {
        const dataset = tables.get(name)?.dataset
        return dataset === undefined ? [] : [{ name, dataset }]
      }),
    carriesTag: (tag, columnName) => tags.get(tag.trim())?.(columnName),
  }
}

/** The variables of the table and its ancestors. If several define a key, the nearest one counts. */
async function variablesOf(
  documents: Copies,
  tenant: string,
  { assetId, path = [] }: ReferringTable,
): Promise<Record<string, string>> {
  const above = path.slice(0, -1).map((_, index) => pathKey(path.slice(0, index + 1)))
  const [own, inherited] = await Promise.all([
    documents.get(executionVariables, tenant, assetId),
    above.length === 0
      ? []
      : documents
          .find(executionVariables, tenant, { where: [{ field: 'path', in: above }], size: 1_000 })
          .then((found) => found.documents),
  ])
  const nearestLast = [...inherited].sort((a, b) => (a.asset.path?.length ?? 0) - (b.asset.path?.length ?? 0))
  const all = [...nearestLast, ...(own ? [own.document] : [])].flatMap(({ asset }) => asset.variables)
  return Object.fromEntries(all.map(({ key, value }) => [key, value]))
}

async function templatesOf(
  documents: Copies,
  tenant: string,
  ids: readonly number[],
): Promise<Map<number, UdfTemplate>> {
  const found = await Promise.all(ids.map((id) => documents.get(executionTemplates, tenant, id)))
  return new Map(
    found.flatMap((stored) => {
      const template = stored?.document.template
      return template === undefined || template.isDeleted ? [] : [[template.udfId, template] as const]
    }),
  )
}

async function lookupsOf(documents: Copies, tenant: string, ids: readonly number[]) {
  const found = await Promise.all(
    ids.map(async (id) => {
      const table = (await documents.get(executionTables, tenant, id))?.document.table
      const dataset = table && (await datasetOf(documents, tenant, table))
      if (table === undefined || table.isDeleted || dataset === undefined) return []
      const { columns } = table
      return [[id, { dataset, columns, ...(await currentViewState(documents, tenant, table)) }] as const]
    }),
  )
  return new Map(found.flat())
}

/** Names that the engine defines. */
const isEngineName = (name: string) => /^asset$/i.test(name) || /^assay_/i.test(name)

/** Maximum number of other tables that one policy can read. */
const maxTableNames = 100

/** Names in SQL texts that may be tables of the assembly. The engine's parser decides when it checks the SQL. */
export function tableNamesIn(texts: readonly string[]): string[] {
  const names = texts.flatMap(quotedNames).filter((name) => name.length <= longestName && !isEngineName(name))
  return [...new Set(names)].slice(0, maxTableNames)
}

/** Tables of an assembly, including deleted ones, with this name or this path below the assembly. */
export async function tablesCalled(documents: Copies, tenant: string, assemblyId: number, name: string) {
  const where = [
    { field: 'assemblyId', is: assemblyId },
    { field: 'name', in: endsOf(name) ?? [] },
  ]
  const found = await documents.find(executionTables, tenant, { where, size: 1_000 })
  const tables = found.documents.map(({ table }) => table)
  const below = ({ path = [] }: TableMessage) => path.slice(1)
  return {
    byName: tables.filter((table) => table.name === name),
    byPath: tables.filter((table) => below(table).join('.') === name || below(table).join('/') === name),
  }
}

type ReferencedTable = { dataset: DatasetLocator } & ViewState

/** Other tables of the assembly: by name if it is unique, else by their path below the assembly. */
async function tablesOf(
  documents: Copies,
  tenant: string,
  { assemblyId, assetId }: ReferringTable,
  texts: readonly string[],
): Promise<Map<string, ReferencedTable>> {
  const tables = new Map<string, ReferencedTable>()
  const isAlive = ({ isDeleted }: TableMessage) => !isDeleted
  for (const name of tableNamesIn(texts)) {
    const called = await tablesCalled(documents, tenant, assemblyId, name)
    const [byName, byPath] = [called.byName.filter(isAlive), called.byPath.filter(isAlive)]
    const [only, other] = byName.length > 0 ? byName : byPath
    if (only === undefined || other !== undefined || only.assetId === assetId) continue
    const dataset = await datasetOf(documents, tenant, only)
    if (dataset !== undefined) tables.set(name, { dataset, ...(await currentViewState(documents, tenant, only)) })
  }
  return tables
}

type Carries = (columnName: string | null) => boolean

async function tagsOf(
  documents: Copies,
  tenant: string,
  { assetId, columns }: ReferringTable,
  texts: readonly string[],
): Promise<Map<string, Carries>> {
  const names = [...new Set(texts.map((text) => text.trim()))]
  if (names.length === 0) return new Map()
  const tags = tagsOfTenant(documents, tenant)
  const carried = await tags.carried(assetId)
  const idOf = new Map(columns.map(({ name, id }) => [name, id]))
  const found = new Map<string, Carries>()
  for (const name of names) {
    const tagId = await tags.named(name)
    if (tagId === undefined) continue
    const assets = new Set(carried.filter((one) => one.tagIds.at(-1) === tagId).map((one) => one.assetId))
    found.set(name, (columnName) => assets.has(columnName === null ? assetId : (idOf.get(columnName) ?? -1)))
  }
  return found
}
