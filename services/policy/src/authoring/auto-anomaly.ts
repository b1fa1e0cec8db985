import { type AssemblyMessage, createAutoAnomalyPolicies, type TableMessage } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import type { CommandContext, ReadYourWrites } from '@assay/event-store'
import { type Caller, commandContext, type Route, route, seenOf } from '@assay/service-kit'
import { AssayError, isAssayError } from '@assay/service-kit/errors'
import { policyAssemblies } from '../copies/assemblies.ts'
import { policyTables } from '../copies/tables.ts'
import { targetOf } from '../definition/targets.ts'
import { policies } from '../policy/aggregate.ts'
import { defaultDefinition } from '../policy/default-definition.ts'
import type { CreatePolicy } from './new-policy.ts'

const pageSize = 500
const maxUid = 200
const type = 'AUTO_ANOMALY'

interface Creator {
  tenant: string
  by: string
  context: CommandContext
}

/** Auto anomaly policies for each table of an assembly: on request, and if the assembly has the option. */
export interface AutoAnomaly {
  routes: Route[]
  /** Call it after the table is stored. */
  table(tenant: string, table: TableMessage): Promise<void>
  /** Call it after the assembly is stored. */
  assembly(tenant: string, assembly: AssemblyMessage): Promise<void>
}

export function createAutoAnomaly(deps: {
  documents: Documents
  createPolicy: CreatePolicy
  readYourWrites: ReadYourWrites
}): AutoAnomaly {
  const { documents, createPolicy, readYourWrites } = deps

  /** A table whose policy was archived does not get another one. */
  async function hasPolicy(tenant: string, assetId: number): Promise<boolean> {
    const where = [
      { field: 'assetId', is: assetId },
      { field: 'type', is: type },
    ]
    return (await documents.find(policies, tenant, { where, size: 1 })).documents.length > 0
  }

  /** Whether the table had no policy. Of several replicas, the one that reserves the name creates it. */
  async function createFor({ tenant, by, context }: Creator, table: TableMessage): Promise<boolean> {
    if (await hasPolicy(tenant, table.assetId)) return false
    const blank = defaultDefinition(type, nameOf(table), targetOf(table, null))
    const definition = { ...blank, verdictBy: 'ITEMS' as const }
    try {
      await createPolicy({ tenant, definition, autoCreated: true, by, context })
      return true
    } catch (error) {
      if (isAssayError(error, 'taken')) return false
      throw error
    }
  }

  async function createAll(creator: Creator, assemblyId: number, signal?: AbortSignal) {
    const counts = { created: 0, existing: 0 }
    for (let above = 0; ; ) {
      const where = [
        { field: 'assemblyId', is: assemblyId },
        { field: 'id', from: above + 1 },
      ]
      const { documents: found } = await documents.find(policyTables, creator.tenant, { where, size: pageSize })
      for (const { table } of found) {
        signal?.throwIfAborted()
        if (isWatched(table)) counts[(await createFor(creator, table)) ? 'created' : 'existing'] += 1
      }
      const last = found.at(-1)
      if (last === undefined || found.length < pageSize) return counts
      above = last.table.assetId
    }
  }

  const bySystem = (tenant: string): Creator => ({ tenant, by: 'system', context: { actor: 'system' } })
  const assemblyOf = async (tenant: string, id: number) => (await documents.get(policyAssemblies, tenant, id))?.document

  /** The assembly, including everything that the caller has seen of it and of its tables. */
  async function seenAssembly(call: Caller, id: number) {
    await readYourWrites(seenOf(call, 'catalog'))
    const assembly = await assemblyOf(call.identity.tenant, id)
    if (assembly === undefined || assembly.isDeleted)
      throw new AssayError('not-found', `There is no assembly with the id ${id}.`)
    return assembly
  }

  return {
    routes: [
      route(createAutoAnomalyPolicies, async (call) => {
        const { tenant, user } = call.identity
        const { assemblyId } = await seenAssembly(call, call.params.id)
        const creator = { tenant, by: user, context: commandContext(call) }
        return { body: await createAll(creator, assemblyId, call.signal) }
      }),
    ],
    async table(tenant, table) {
      if (!isWatched(table)) return
      const assembly = await assemblyOf(tenant, table.assemblyId)
      if (assembly?.autoAnomaly === true && !assembly.isDeleted) await createFor(bySystem(tenant), table)
    },
    async assembly(tenant, { assemblyId, autoAnomaly, isDeleted }) {
      if (autoAnomaly && !isDeleted) await createAll(bySystem(tenant), assemblyId)
    },
  }
}

/** A SQL view cannot be deleted while a policy uses it, so views get no policies that nobody asked for. */
const isWatched = ({ isDeleted, assetType }: TableMessage) => !isDeleted && assetType?.name !== 'SQL_VIEW'

/** Unique by the id of the table, because names of policies have at most 255 characters and UIDs may be longer. */
const nameOf = ({ uid, assetId }: TableMessage) =>
  uid.length > maxUid ? `Auto anomaly: ${uid.slice(0, maxUid)}... (${assetId})` : `Auto anomaly: ${uid}`
