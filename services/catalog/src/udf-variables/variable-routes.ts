import { udfVariableOperations as operations, type UdfVariable } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import type { CommandHandler, NumberBlocks } from '@assay/event-store'
import { type Clock, isoTime, type Route, route } from '@assay/service-kit'
import { AssayError, isAssayError } from '@assay/service-kit/errors'
import { contextOf } from '../assemblies/assembly-routes.ts'
import { type AssetDocument, assetTables } from '../asset/collections.ts'
import { udfVariables, udfVariablesAggregate } from '../asset-udf-variables/aggregate.ts'
import {
  initialUdfVariables,
  type KnownVariable,
  type UdfVariableCommand,
  variableOf,
} from '../asset-udf-variables/asset-udf-variables.ts'
import { namedAsset } from '../assets/named-asset.ts'

function recordOf(assetId: number, { id, key, value, createdAt, updatedAt }: KnownVariable): UdfVariable {
  return { id, assetId, key, value, createdAt, updatedAt }
}

function requireSameAsset(id: number, given: number | undefined): void {
  if (given !== undefined && given !== id)
    throw new AssayError('unprocessable', `assetId: must equal the one of the path, ${id}, or be omitted.`)
}

/** Variables of assets, which expressions of policies use as `${key}`. */
export function udfVariableRoutes(deps: {
  handler: CommandHandler
  documents: Documents
  numbers: NumberBlocks
  clock: Clock
}): Route[] {
  const { handler, documents, numbers, clock } = deps

  async function stateOf(tenant: string, assetId: number) {
    return (await documents.get(udfVariables, tenant, assetId))?.document ?? initialUdfVariables
  }

  async function pathOf(tenant: string, asset: AssetDocument): Promise<string[] | null> {
    const table = await documents.get(assetTables, tenant, asset.id)
    return table?.document.naturalPath.slice(1) ?? null
  }

  type Call = Parameters<typeof contextOf>[0]
  async function write(
    call: Call,
    asset: AssetDocument,
    change: (of: { assetId: number; uid: string; path: string[] | null; at: string; by: string }) => UdfVariableCommand,
  ) {
    const { tenant } = call.identity
    const context = contextOf(call)
    const path = await pathOf(tenant, asset)
    const command = change({ assetId: asset.id, uid: asset.uid, path, at: isoTime(clock.now()), by: context.actor })
    return handler.handle(udfVariablesAggregate, { tenant, id: asset.id, command, context })
  }

  return [
    route(operations.createUdfVariable, async (call) => {
      const { tenant } = call.identity
      const { key, value, assetId } = call.body
      requireSameAsset(call.params.id, assetId)
      const asset = await namedAsset(documents, tenant, call.params.id).catch((error: unknown) => {
        if (isAssayError(error, 'not-found')) throw new AssayError('unprocessable', error.message, { cause: error })
        throw error
      })
      const [variableId = 0] = await numbers.take(tenant, 'udf-variable')
      const written = await write(call, asset, (of) => ({ type: 'CreateUdfVariable', ...of, variableId, key, value }))
      return { body: recordOf(asset.id, variableOf(written.state, variableId)) }
    }),
    route(operations.listUdfVariables, async (call) => {
      const { tenant } = call.identity
      const { id } = await namedAsset(documents, tenant, call.params.id)
      const { variables } = await stateOf(tenant, id)
      return { body: { assetId: id, variables: variables.map(({ id, key, value }) => ({ id, key, value })) } }
    }),
    route(operations.getUdfVariable, async (call) => {
      const { tenant } = call.identity
      const { id } = await namedAsset(documents, tenant, call.params.id)
      return { body: recordOf(id, variableOf(await stateOf(tenant, id), call.params.variableId)) }
    }),
    route(operations.updateUdfVariable, async (call) => {
      const { tenant } = call.identity
      const { key, value, assetId } = call.body
      const { variableId } = call.params
      const asset = await namedAsset(documents, tenant, call.params.id)
      variableOf(await stateOf(tenant, asset.id), variableId)
      requireSameAsset(asset.id, assetId)
      const written = await write(call, asset, (of) => ({ type: 'UpdateUdfVariable', ...of, variableId, key, value }))
      return { body: recordOf(asset.id, variableOf(written.state, variableId)) }
    }),
    route(operations.deleteUdfVariable, async (call) => {
      const asset = await namedAsset(documents, call.identity.tenant, call.params.id)
      const { variableId } = call.params
      await write(call, asset, (of) => ({ type: 'DeleteUdfVariable', ...of, variableId }))
      return { body: undefined }
    }),
  ]
}
