import { posix, sep } from 'node:path'

/** Folders that sources may lie in, for one tenant. All absolute. */
export interface Fence {
  /** `null`: anywhere. */
  allowed: readonly string[] | null
  /** Never read, also where `allowed` holds them: Assay's own data. */
  denied: readonly string[]
}

/** A folder that an operator lists. `tenant`: a tenant's name, or `*` for all of them. */
export interface AllowedFolder {
  tenant: string
  folder: string
}

const defaultTenant = 'default'

/** `tenant=folder`, or a folder alone, which is for `default` only. `undefined` for anything else. */
export function parseAllowedFolder(text: string): AllowedFolder | undefined {
  const named = /^(\*|[a-z][a-z0-9-]{0,62})=(.+)$/s.exec(text)
  if (named?.[1] !== undefined && named[2] !== undefined) return { tenant: named[1], folder: named[2] }
  return text === '' || /^[^./\\][^/\\]*=/.test(text) ? undefined : { tenant: defaultTenant, folder: text }
}

/**
 * The fence of each tenant. Without a list the embedded form leaves `default` free; every other tenant, and every tenant
 * of the distributed form, reads only what is listed.
 */
export function fencesOf(options: {
  listed: readonly AllowedFolder[] | undefined
  isEmbedded: boolean
  /** Absolute folders of Assay itself. */
  own: readonly string[]
}): (tenant: string) => Fence {
  const { listed, isEmbedded, own } = options
  return (tenant) => {
    const isFree = isEmbedded && listed === undefined && tenant === defaultTenant
    const folders = (listed ?? []).filter((one) => one.tenant === '*' || one.tenant === tenant)
    return { allowed: isFree ? null : folders.map(({ folder }) => folder), denied: own }
  }
}

/** Whether `path` is `folder` or lies below it; both are real paths. */
export function isWithin(folder: string, path: string): boolean {
  const root = folder.endsWith(sep) ? folder : folder + sep
  return path === folder || path.startsWith(root)
}

/** Says whether paths may be read, by where they really lead. */
export interface Gate {
  /** Why `path` may not be read, as the rest of a sentence; `null` where it may. The same whether it exists or not. */
  refusal(path: string): Promise<string | null>
  /** Whether a real path lies in a folder that is never read. */
  isOwn(real: string): boolean
}

export const openGate: Gate = { refusal: async () => null, isOwn: () => false }

const outside = 'lies outside of the folders that sources may be read from'
const own = "lies in Assay's own data folder, which is no source"
const climbing = "must not contain '..'"

/** What a gate asks of the file system. */
export interface Links {
  /** The real path with all links followed; rejects where nothing is. */
  resolvePath(path: string): Promise<string>
  /** Whether a file is another name of one below these folders, a hard link to it. */
  createHardLinks(folders: readonly string[]): (real: string) => Promise<boolean>
}

/**
 * The gate of a fence. A path that does not exist is judged by the part of it that does, so that a refusal tells nothing of
 * what lies behind it.
 */
export async function createGate(fence: Fence, { resolvePath, createHardLinks }: Links): Promise<Gate> {
  const real = (folder: string) => resolvePath(folder).catch(() => folder)
  const allowed = fence.allowed === null ? null : await Promise.all(fence.allowed.map(real))
  const denied = await Promise.all(fence.denied.map(real))
  const isOwn = (path: string) => denied.some((folder) => isWithin(folder, path))
  const isHardLink = createHardLinks(denied)

  async function leadsTo(path: string): Promise<string> {
    for (let there = path, rest = ''; ; there = posix.dirname(there)) {
      const found = await resolvePath(there).catch(() => null)
      if (found !== null || there === posix.dirname(there)) return posix.join(found ?? there, rest)
      rest = posix.join(posix.basename(there), rest)
    }
  }

  return {
    isOwn,
    async refusal(path) {
      if (path.split(sep).includes('..')) return climbing
      const target = await leadsTo(path)
      if (allowed !== null && !allowed.some((folder) => isWithin(folder, target))) return outside
      return isOwn(target) || (await isHardLink(target)) ? own : null
    },
  }
}
