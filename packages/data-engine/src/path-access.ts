import { posix, sep } from 'node:path'

/** The folders that sources of one tenant may be in. All paths are absolute. */
export interface PathAccess {
  /** The allowed folders; `null` means any. */
  allowed: readonly string[] | null
  /** Folders that are never read, even inside `allowed`: Assay's own data. */
  denied: readonly string[]
}

/** A folder that the operator lists. `tenant`: a tenant's name, or `*` for all tenants. */
export interface AllowedFolder {
  tenant: string
  folder: string
}

const defaultTenant = 'default'

/** Parses `tenant=folder`, or a folder alone, which is for the tenant `default`. `undefined` for anything else. */
export function parseAllowedFolder(text: string): AllowedFolder | undefined {
  const named = /^(\*|[a-z][a-z0-9-]{0,62})=(.+)$/s.exec(text)
  if (named?.[1] !== undefined && named[2] !== undefined) return { tenant: named[1], folder: named[2] }
  return text === '' || /^[^./\\][^/\\]*=/.test(text) ? undefined : { tenant: defaultTenant, folder: text }
}

/**
 * The access of each tenant. Without a list, the tenant `default` of the embedded form may read everything. All other
 * tenants, and all tenants of the distributed form, may read only listed folders.
 */
export function pathAccessOf(options: {
  listed: readonly AllowedFolder[] | undefined
  isEmbedded: boolean
  /** Absolute folders of Assay itself. */
  own: readonly string[]
}): (tenant: string) => PathAccess {
  const { listed, isEmbedded, own } = options
  return (tenant) => {
    const isFree = isEmbedded && listed === undefined && tenant === defaultTenant
    const folders = (listed ?? []).filter((one) => one.tenant === '*' || one.tenant === tenant)
    return { allowed: isFree ? null : folders.map(({ folder }) => folder), denied: own }
  }
}

/** Whether `path` is `folder` or below it; both are real paths. */
export function isWithin(folder: string, path: string): boolean {
  const root = folder.endsWith(sep) ? folder : folder + sep
  return path === folder || path.startsWith(root)
}

/** Decides by their real paths whether paths may be read. */
export interface PathGuard {
  /**
   * Why `path` may not be read, as the end of a sentence; `null` if it may be read. Does not reveal whether the path
   * exists.
   */
  refusal(path: string): Promise<string | null>
  /** Whether a real path is in a folder that is never read. */
  isOwn(real: string): boolean
}

export const openGuard: PathGuard = { refusal: async () => null, isOwn: () => false }

const outside = 'lies outside of the folders that sources may be read from'
const own = "lies in Assay's own data folder, which is not a source"
const climbing = "must not contain '..'"

/** The part of the file system that a guard needs. */
export interface Links {
  /** The real path with all links followed. Rejects if it does not exist. */
  resolvePath(path: string): Promise<string>
  /** Whether a file is a hard link to a file below these folders. */
  createHardLinks(folders: readonly string[]): (real: string) => Promise<boolean>
}

/**
 * The guard for the access of a tenant. If a path does not exist, its existing part decides, so that a refusal does not
 * reveal which paths exist.
 */
export async function createPathGuard(access: PathAccess, { resolvePath, createHardLinks }: Links): Promise<PathGuard> {
  const real = (folder: string) => resolvePath(folder).catch(() => folder)
  const allowed = access.allowed === null ? null : await Promise.all(access.allowed.map(real))
  const denied = await Promise.all(access.denied.map(real))
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
