import { isAbsolute, sep } from 'node:path'
import type { AssemblyRequest } from '@assay/contracts'
import { type DataEngine, fixedPart, isWithin, type Source, source } from '@assay/data-engine'
import { type Timers, withDeadline } from '@assay/service-kit'
import { AssayError, isAssayError, messageOf } from '@assay/service-kit/errors'

/** Clients give up after 15 s, so a source has to open within less. */
const openMilliseconds = 9_000

/**
 * The source that a request describes, in one order of keys, without unknown ones.
 * Throws `invalid` naming the field, `configuration.path: ...`.
 */
export function parseSource(
  sourceType: AssemblyRequest['sourceType'],
  configuration: { readonly [key: string]: unknown },
): Source {
  const parsed = source.safeParse({ ...configuration, sourceType })
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    const field = ['configuration', ...(issue?.path ?? []).map(String)].join('.')
    throw new AssayError('invalid', `${field}: ${issue?.message ?? 'is not valid'}`)
  }
  if (!isAbsolute(parsed.data.path))
    throw new AssayError('invalid', 'configuration.path: must be absolute, for example /data/sales')
  for (const key of ['include', 'exclude'] as const) checkPatterns(parsed.data, key)
  return parsed.data
}

/** Patterns are relative to the path: none may lead out of it. */
function checkPatterns(of: Source, key: 'include' | 'exclude'): void {
  const patterns = of.sourceType === 'FILE' ? (of[key] ?? []) : []
  const index = patterns.findIndex((pattern) => isAbsolute(pattern) || pattern.split(/[/\\]/).includes('..'))
  if (index >= 0)
    throw new AssayError('invalid', `configuration.${key}.${index}: must be relative to the path, without '..'`)
}

export interface SourceCheck {
  /** Throws `invalid` when the path of a source leads, links followed, out of the allowed folders or to nothing. */
  checkPath(of: Source): Promise<void>
  /** How many tables a source has. Throws `invalid` with the reason when it cannot be opened. */
  open(of: Source, signal: AbortSignal): Promise<number>
}

export function createSourceCheck(deps: {
  engine: Pick<DataEngine, 'probe'>
  timers: Timers
  allowedPaths: readonly string[] | undefined
  resolvePath: (path: string) => Promise<string>
}): SourceCheck {
  const { engine, timers, allowedPaths, resolvePath } = deps

  async function realPath(path: string): Promise<string> {
    try {
      // A file whose name has glob characters is a file, not a pattern.
      return await resolvePath(path)
    } catch {
      try {
        return await resolvePath(fixedPart(path))
      } catch (cause) {
        throw new AssayError('invalid', 'configuration.path: there is nothing at this path that can be read', { cause })
      }
    }
  }

  async function checkPath(of: Source): Promise<void> {
    const path = await realPath(of.path)
    if (allowedPaths === undefined) return
    const folders = await Promise.all(allowedPaths.map((folder) => resolvePath(folder).catch(() => folder)))
    if (!folders.some((folder) => isWithin(folder, path)))
      throw new AssayError(
        'invalid',
        'configuration.path: must lie under one of the folders that sources are allowed in',
      )
    // What follows the fixed part of a glob must not climb out again.
    if (of.path.split(sep).includes('..')) throw new AssayError('invalid', "configuration.path: must not contain '..'")
  }

  async function open(of: Source, caller: AbortSignal): Promise<number> {
    await checkPath(of)
    const late = new AssayError('timeout', `it did not open within ${openMilliseconds / 1000} seconds`)
    try {
      const { tables } = await withDeadline(
        timers,
        { milliseconds: openMilliseconds, late, signals: [caller] },
        (signal) => engine.probe(of, { signal }),
      )
      return tables
    } catch (error) {
      if (error !== late && !isAssayError(error, 'unprocessable') && !isAssayError(error, 'invalid')) throw error
      const sentence = `configuration: the source cannot be opened: ${messageOf(error)}`
      throw new AssayError('invalid', sentence, { cause: error })
    }
  }

  return { checkPath, open }
}
