import type { Artifacts } from '@assay/artifacts'
import { columnState, type DatasetProfile } from '@assay/data-engine'
import { canMerge, mergeProfiles } from '@assay/reliability'
import { z } from 'zod'
import { type AskedProfile, type AssetProfiles, hasEnded } from '../asset-profiles/asset-profiles.ts'
import { stateKey } from './profile-window.ts'

/** The file with the states at the end of an INCREMENTAL profile. */
export const stateFile = 'state.json'

/** Artifacts return at most 16 MiB as text. Larger states are not stored, so the next profile reads all rows. */
const maxBytes = 15 * 1024 * 1024

const keptState = z.object({
  rows: z.int(),
  columns: z.array(columnState),
  mark: z.string().nullable(),
  /** With a marker on files: the `files.all` of the profile. */
  files: z.string().optional(),
})
/** The states of all rows up to `mark`, the marker position. */
type KeptState = z.infer<typeof keptState>

/** The folders of the profiles that `asked` continues, latest first. */
export function stateFolders({ profiles }: AssetProfiles, asked: AskedProfile): string[] {
  const key = stateKey(asked)
  if (key === null) return []
  return profiles
    .filter((profile) => hasEnded(profile) && stateKey(profile.asked) === key)
    .flatMap((profile) => (profile.status === 'succeeded' ? [profile.result.key] : []))
    .reverse()
}

/** `undefined` means there is no state, or another version wrote it. */
export async function readState(artifacts: Artifacts, folder: string | undefined): Promise<KeptState | undefined> {
  const text = folder === undefined ? undefined : await artifacts.readText(`${folder}/${stateFile}`)
  return text === undefined ? undefined : keptState.safeParse(JSON.parse(text)).data
}

/**
 * `found` merged with the state of the earlier rows. `undefined` if columns or types have changed or, with a marker on
 * files, an earlier file: its rows would count twice. Pure.
 */
export function continued(found: DatasetProfile, before: KeptState): DatasetProfile | undefined {
  if (before.files !== found.files?.outside || !canMerge(before, found)) return undefined
  const { rows, columns } = mergeProfiles(before, found)
  return { ...found, rows, columns: [...columns], reached: found.reached ?? before.mark }
}

/** The text of the state; `undefined` if it is too large. Pure. */
export function stateText({ rows, columns, reached, files }: DatasetProfile): string | undefined {
  const text = JSON.stringify({ rows, columns, mark: reached, files: files?.all } satisfies KeptState)
  return Buffer.byteLength(text) > maxBytes ? undefined : text
}
