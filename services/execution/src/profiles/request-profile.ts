import type { TableMessage } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import type { CommandContext, CommandHandler, NumberBlocks } from '@assay/event-store'
import { type Clock, isoTime, type NewId } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { createAdmission, type Worker } from '@assay/work'
import { assetProfilesAggregate, profileWork } from '../asset-profiles/aggregate.ts'
import type { AssetProfile, ProfileCause } from '../asset-profiles/asset-profiles.ts'
import { currentViewState } from '../references/tags.ts'
import type { WantedProfile } from './wanted-profile.ts'

interface ProfileRequest {
  tenant: string
  table: TableMessage
  wanted: WantedProfile
  by: string
  context: CommandContext
  cause?: ProfileCause
  /** Why it cannot start: it is then shown as failed. */
  refusal?: string
}

/**
 * Requests a profile of a table. `undefined`: its cause was already taken. Throws `unprocessable` while the asset has an
 * open profile, `rate-limited` if the tenant has too many.
 */
export type RequestProfile = (request: ProfileRequest) => Promise<AssetProfile | undefined>

/** Maximum number of open automatic profiles of a tenant: a profile that somebody requests waits behind few others. */
const maxAutomatic = 5

export function createRequestProfile(deps: {
  commands: CommandHandler
  documents: Documents
  numbers: NumberBlocks
  worker: Pick<Worker, 'take'>
  clock: Clock
  newId: NewId
}): RequestProfile {
  const { commands, documents, numbers, worker, clock, newId } = deps
  const admitted = createAdmission({ documents, kind: profileWork, what: 'profiles' })
  const admittedAutomatic = createAdmission({ documents, kind: profileWork, what: 'profiles', limit: maxAutomatic })
  return async ({ tenant, table, wanted, by, context, cause, refusal }) => {
    const admission = await (cause === undefined ? admitted : admittedAutomatic)(tenant)
    try {
      const [id] = await numbers.take(tenant, 'profile')
      if (id === undefined) throw new AssayError('internal', 'No id was reserved for the profile.')
      const requestedAt = isoTime(clock.now())
      const { assetId, uid: assetUid } = table
      const requestId = `profile-${newId()}`
      const about = { id, assetId, assetUid, requestId, ...(await currentViewState(documents, tenant, table)) }
      const command = {
        type: 'RequestProfile' as const,
        profile: { ...about, ...wanted, requestedAt, requestedBy: by },
        ...(cause === undefined ? {} : { cause }),
        ...(refusal === undefined ? {} : { refusal }),
      }
      const { state } = await commands.handle(assetProfilesAggregate, { tenant, id: assetId, command, context })
      const accepted = state.profiles.find(({ asked }) => asked.id === id)
      if (accepted?.status === 'waiting') worker.take({ tenant, id: String(id), startedAt: requestedAt })
      return accepted
    } finally {
      admission.end()
    }
  }
}
