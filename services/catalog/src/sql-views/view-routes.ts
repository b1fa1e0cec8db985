import { type CustomAsset, customAssetOperations as operations, type SqlViewDetails } from '@assay/contracts'
import type { QueryLocator } from '@assay/data-engine'
import { type ReadYourWrites, type Reservations, stateText } from '@assay/event-store'
import { isoTime, type NewId, type Route, route, seenOf } from '@assay/service-kit'
import { AssayError, isAssayError } from '@assay/service-kit/errors'
import { contextOf } from '../assemblies/assembly-routes.ts'
import { findAssembly } from '../assemblies/find-assembly.ts'
import { type AssemblyDocument, assemblyAggregate } from '../assembly/aggregate.ts'
import { assetAggregate } from '../asset/aggregate.ts'
import { type AssetTableDocument, assets, assetTables } from '../asset/collections.ts'
import { assetStreamId } from '../asset/uid.ts'
import { assetConfigurationAggregate } from '../asset-configuration/aggregate.ts'
import { assetRecords } from '../assets/asset-records.ts'
import { createObserver, type ObserverTools } from '../crawling/observer.ts'
import { policiesThatUse } from '../policy-uses/policy-uses.ts'
import { type SqlViewDocument, sqlViewAggregate, sqlViews } from '../sql-view/aggregate.ts'
import { assetTypeNamed } from '../types/asset-types.ts'
import { sourceTypeNamed } from '../types/source-types.ts'
import { preparedView, type ViewDeps } from './prepared-view.ts'

type Call = Parameters<typeof contextOf>[0] & { signal: AbortSignal }

/** Views: SELECTs over tables of an assembly, as assets. */
export function sqlViewRoutes(
  deps: ViewDeps & ObserverTools & { reservations: Reservations; newId: NewId; readYourWrites: ReadYourWrites },
): Route[] {
  const { documents, handler, reservations, clock, newId, readYourWrites } = deps

  async function stored(tenant: string, id: number): Promise<SqlViewDocument> {
    const found = (await documents.get(sqlViews, tenant, id))?.document
    const asset = found && (await documents.get(assetTables, tenant, id))?.document
    if (found === undefined || asset?.status !== 'live') throw new AssayError('not-found', 'There is no such view.')
    return found
  }

  async function record(tenant: string, id: number): Promise<CustomAsset> {
    const { query, queryType, description, tableAlias, backingAssetId, createdAt, updatedAt } = await stored(tenant, id)
    const own = await documents.get(assets, tenant, id)
    const [asset] = own === undefined ? [] : await assetRecords(documents, tenant, [own.document])
    if (asset === undefined) throw new AssayError('not-found', 'There is no such view.')
    return { id, asset, query, queryType, description, tableAlias, backingAssetId, createdAt, updatedAt }
  }

  async function backingOf(tenant: string, assemblyId: number, uid: string | undefined) {
    if (uid === undefined || uid === '') return undefined
    const { documents: found } = await documents.find(assets, tenant, { where: [{ field: 'uid', is: uid }], size: 1 })
    const table = found[0] && (await documents.get(assetTables, tenant, found[0].id))?.document
    const isFit = table?.status === 'live' && table.facts !== null && table.facts.locator.kind !== 'query'
    if (!isFit || table.placement.assemblyId !== assemblyId)
      throw new AssayError('invalid', 'data.asset.backingAssetUID: must be a table or a file of the same assembly.')
    return table
  }

  /** Writes the asset with its columns, whether it is new or known. */
  async function observe(
    call: Call,
    view: { assemblyId: number; assembly: AssemblyDocument; name: string; locator: QueryLocator; sourceIds: number[] },
  ) {
    const { tenant } = call.identity
    const context = contextOf(call)
    const { assemblyId, name, locator, sourceIds } = view
    const { record: of, uidPrefix } = view.assembly
    const lives = async (id: number) => (await handler.load(assemblyAggregate, tenant, id)).state.status === 'active'
    const observer = createObserver(deps, { tenant, assemblyId, uidPrefix, isAlive: lives, context })
    return observer.observe({
      kind: 'sql-view',
      parts: [name],
      placement: {
        parentId: null,
        assetTypeId: assetTypeNamed('SQL_VIEW').id,
        assemblyId,
        assemblyName: of.name,
        sourceTypeId: sourceTypeNamed(of.sourceType.name)?.id ?? of.sourceType.id,
      },
      columns: locator.columns.map((column) => ({ path: [column.name], dataType: column.dataType, nullable: true })),
      facts: { rowCount: null, sizeBytes: null, lastChangedAt: null, fileCount: null, locator, sourceIds },
    })
  }

  /** Prepares the SELECT, writes the asset and then the definition. */
  async function define(
    call: Call & { identity: { permissions: ReadonlySet<string> } },
    view: {
      assemblyId: number
      name: string
      nameOwner: string
      details: SqlViewDetails
      backing: AssetTableDocument | undefined
    },
  ) {
    const { tenant, permissions } = call.identity
    const context = contextOf(call)
    const { assemblyId, name, nameOwner, details, backing } = view
    const mayShowProtected = permissions.has('ASSET_PROTECTED_VIEW')
    const { document: assembly } = await findAssembly(documents, tenant, String(assemblyId))
    const sourceType = assembly.record.sourceType.name
    const asked = { tenant, assemblyId, sourceType, details, backing, mayShowProtected, signal: call.signal }
    const { locator, sourceIds } = await preparedView(deps, asked)
    const { id, revision } = await observe(call, { assemblyId, assembly, name, locator, sourceIds })
    const uid = (await documents.get(assets, tenant, id))?.document.uid ?? ''
    const at = isoTime(clock.now())
    const { query, queryType, description, tableAlias = null } = details
    const of = { assetId: id, uid, at, by: context.actor }
    const defined = { query, queryType, description, tableAlias, backingAssetId: backing?.id ?? null }
    const command = { type: 'DefineSqlView', ...of, assemblyId, name, nameOwner, ...defined } as const
    await handler.handle(sqlViewAggregate, { tenant, id, command, context })
    const describe = { type: 'ConfigureAsset', ...of, settings: { description } } as const
    await handler.handle(assetConfigurationAggregate, { tenant, id, command: describe, context })
    // Other services learn of a view from the event of its asset.
    return { id, states: revision === undefined ? [] : [stateText('asset', id, revision)] }
  }

  return [
    route(operations.createSqlView, async (call) => {
      const { tenant } = call.identity
      const { asset, details } = call.body.data
      const { assemblyId } = asset
      const name = asset.name.trim()
      await findAssembly(documents, tenant, String(assemblyId))
      const backing = await backingOf(tenant, assemblyId, asset.backingAssetUID)
      const scope = `sql-view-${assemblyId}`
      const nameOwner = newId()
      await reservations.hold(tenant, scope, name, nameOwner).catch((error: unknown) => {
        if (!isAssayError(error, 'taken')) throw error
        throw new AssayError('unprocessable', `data.asset.name: the assembly already has a view '${name}'.`)
      })
      try {
        const { id, states } = await define(call, { assemblyId, name, nameOwner, details, backing })
        await reservations.confirm(tenant, scope, name, nameOwner)
        return { body: { data: { customAsset: await record(tenant, id) } }, states }
      } catch (error) {
        await reservations.release(tenant, scope, name, nameOwner)
        throw error
      }
    }),
    route(operations.updateSqlView, async (call) => {
      const { tenant } = call.identity
      const { details, name: newName } = call.body.data
      const { id } = call.params
      const { assemblyId, name, nameOwner, backingAssetId } = await stored(tenant, id)
      if (newName !== undefined && newName.trim() !== name)
        throw new AssayError('unprocessable', 'data.name: a view cannot be renamed. Create another view.')
      const backing =
        backingAssetId === null ? undefined : (await documents.get(assetTables, tenant, backingAssetId))?.document
      const { states } = await define(call, { assemblyId, name, nameOwner, details, backing })
      return { body: { data: { customAsset: await record(tenant, id) } }, states }
    }),
    route(operations.getSqlView, async (call) => {
      return { body: { customAsset: await record(call.identity.tenant, call.params.id) } }
    }),
    route(operations.deleteSqlView, async (call) => {
      const { tenant } = call.identity
      const context = contextOf(call)
      const { id } = call.params
      const { uid, assemblyId, name, nameOwner } = await stored(tenant, id)
      await readYourWrites(seenOf(call, 'policy'))
      const [use] = await policiesThatUse(documents, tenant, 'assetIds', id)
      if (use !== undefined) {
        const sentence = `The policy '${use.ruleName}' (${use.ruleId}) uses this view. Change or archive it first.`
        throw new AssayError('unprocessable', sentence)
      }
      const at = isoTime(clock.now())
      const vanish = { type: 'VanishAsset', at, assemblyId, reason: 'view-deleted' } as const
      const { revision } = await handler.handle(assetAggregate, {
        tenant,
        id: assetStreamId(uid),
        command: vanish,
        context,
      })
      const command = { type: 'DeleteSqlView', assetId: id, uid, at, by: context.actor } as const
      await handler.handle(sqlViewAggregate, { tenant, id, command, context })
      await reservations.release(tenant, `sql-view-${assemblyId}`, name, nameOwner)
      return { body: undefined, states: [stateText('asset', id, revision)] }
    }),
  ]
}
