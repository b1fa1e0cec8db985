import type { Artifacts } from '@assay/artifacts'
import { columnState, type DatasetProfile } from '@assay/data-engine'
import { canMerge, mergeProfiles } from '@assay/reliability'
import { z } from 'zod'
import { type AskedProfile, type AssetProfiles, hasEnded, mayHaveStates } from '../asset-profiles/asset-profiles.ts'
import { localFile } from '../running/local-file.ts'
import type { ResultFile } from '../running/result-layout.ts'
import { stateKey } from './profile-window.ts'

/** The file with the states of all rows at the end of a profile that was not SELECTIVE. */
export const stateFile = 'state.json'

/** The file with the different values of these rows, for the next INCREMENTAL profile. */
export const valuesFile = 'values.duckdb'

/** Artifacts return at most 16 MiB as text. Larger states are not stored, so the next profile reads all rows. */
const maxBytes = 15 * 1024 * 1024

const keptState = z.object({
  rows: z.int(),
  columns: z.array(columnState),
  mark: z.string().nullable(),
  /** With a marker on files: the `files.all` of the profile. */
  files: z.string().optional(),
  /** The `state` of the profile. */
  state: z.string().optional(),
})
/** The states of all rows up to `mark`, the marker position. */
type KeptState = z.infer<typeof keptState>

/** The folder with the files of all profiles of a table, one folder for each attempt: `<id>` or `<id>.attempt-<n>`. */
export const profilesFolder = (tenant: string, assetId: number): string => `${tenant}/profiles/${assetId}`

/** The folders of the profiles that `asked` continues, latest first. */
export function stateFolders({ profiles }: AssetProfiles, asked: AskedProfile): string[] {
  const key = stateKey(asked)
  if (key === null) return []
  return profiles
    .filter((profile) => hasEnded(profile) && stateKey(profile.asked) === key)
    .flatMap((profile) => (profile.status === 'succeeded' ? [profile.result.key] : []))
    .reverse()
}

/**
 * The profiles of a table whose states can be removed. A later profile or run reads only the latest INCREMENTAL one of
 * each marker, and the latest FULL one. The others go once they ended by `endedUntil` (ISO 8601); if the table
 * `isGone`, all go at once. A redefined view continues no profile of its earlier definitions. Pure.
 */
export function unneededStates(
  { profiles }: AssetProfiles,
  { isGone, endedUntil }: { isGone: boolean; endedUntil: string },
): number[] {
  const latest = new Map(
    profiles.flatMap(({ status, asked: { view: _, ...asked } }) =>
      status === 'succeeded' ? [[stateKey(asked) ?? asked.profilingType, asked.id]] : [],
    ),
  )
  const needed = new Set(latest.values())
  return profiles
    .filter(mayHaveStates)
    .filter(({ asked, finishedAt }) => isGone || (finishedAt <= endedUntil && !needed.has(asked.id)))
    .map(({ asked }) => asked.id)
}

/** Whether a profile describes all rows. INCREMENTAL ones do, because they continue an earlier one. Pure. */
export const isOfWholeTable = ({ profilingType }: AskedProfile): boolean => profilingType !== 'SELECTIVE'

/** The folders of FULL profiles. Only runs of policies read their states. */
export function fullFolders({ profiles }: AssetProfiles): string[] {
  return profiles.flatMap((profile) =>
    profile.status === 'succeeded' && profile.asked.profilingType === 'FULL' ? [profile.result.key] : [],
  )
}

/** `undefined` means there is no state, or another version wrote it. */
export async function readState(artifacts: Artifacts, folder: string | undefined): Promise<KeptState | undefined> {
  const text = folder === undefined ? undefined : await artifacts.readText(`${folder}/${stateFile}`)
  return text === undefined ? undefined : keptState.safeParse(JSON.parse(text)).data
}

/**
 * The state of earlier rows, with a local file of their values. `undefined`: there is none, another version, which kept
 * no values, wrote it, or it lacks a column that could not be read. Then all rows are read.
 */
export async function readBefore(
  artifacts: Artifacts,
  earlier: string | undefined,
  folder: string,
): Promise<{ state: KeptState; values: string } | undefined> {
  const state = await readState(artifacts, earlier)
  if (state?.columns.some(({ known }) => known === null)) return undefined
  const values = state && (await localFile(artifacts, `${earlier}/${valuesFile}`, folder))
  return state && values !== undefined ? { state, values } : undefined
}

/**
 * `found` merged with the state of the earlier rows. `undefined` if columns or types have changed. With a marker on
 * files also if an earlier file has changed, because its rows would count twice. And if the
 * earlier values are gone or damaged. Pure.
 */
export function continued(found: DatasetProfile, before: KeptState): DatasetProfile | undefined {
  if (found.whole === undefined || before.files !== found.files?.outside || !canMerge(before, found)) return undefined
  const { rows, columns } = mergeProfiles(before, found, found.whole)
  return { ...found, rows, columns: [...columns], reached: found.reached ?? before.mark }
}

/** The files with the state and its values; none if the state is too large. Pure. */
export function stateFiles({ rows, columns, reached, files, state, keptValues }: DatasetProfile): ResultFile[] {
  const text = JSON.stringify({ rows, columns, mark: reached, files: files?.all, state } satisfies KeptState)
  if (Buffer.byteLength(text) > maxBytes) return []
  return [{ name: stateFile, text }, ...(keptValues === undefined ? [] : [{ name: valuesFile, from: keptValues }])]
}
