import { isAbsolute } from 'node:path'
import { type AssemblyRequest, pathText, strictly, unknownFieldSentence, unknownFields } from '@assay/contracts'
import {
  type DataEngine,
  isDatabaseSource,
  isFileSource,
  isStoreSource,
  placeOf,
  type Source,
  source,
} from '@assay/data-engine'
import { type Timers, withDeadline } from '@assay/service-kit'
import { AssayError, isAssayError, messageOf } from '@assay/service-kit/errors'

/** Time limit for opening a source, in milliseconds: the whole check takes at most 10 s. */
const openMilliseconds = 7_000
/** Time limit for finding a readable table in a source, in milliseconds. */
const readMilliseconds = 2_500
/** Maximum number of seconds that a server has to answer, so that the error names the server before the check ends. */
const answerSeconds = 5

const strictSource = strictly(source)

/**
 * The source in a request, with its keys in a fixed order. Throws `invalid` naming the field, `configuration.path:
 * ...`.
 */
export function parseSource(
  sourceType: AssemblyRequest['sourceType'],
  configuration: { readonly [key: string]: unknown },
): Source {
  const described = { ...configuration, sourceType }
  const { refused } = unknownFields(strictSource, described, 'configuration')
  if (refused.length > 0)
    throw new AssayError('invalid', refused.map(unknownFieldSentence).join(' '), {
      details: { fields: refused.map(({ path }) => path) },
    })
  const parsed = source.safeParse(described)
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    const field = pathText(['configuration', ...(issue?.path ?? [])])
    throw new AssayError('invalid', `${field}: ${issue?.message ?? 'is not valid'}`)
  }
  if (parsed.data.sourceType === 'KAFKA' || isDatabaseSource(parsed.data)) return parsed.data
  for (const key of ['include', 'exclude'] as const) checkPatterns(parsed.data, key)
  if (isStoreSource(parsed.data)) return parsed.data
  if (!isAbsolute(parsed.data.path))
    throw new AssayError('invalid', 'configuration.path: must be absolute, for example /data/sales')
  if (parsed.data.path.split('/').includes('..'))
    throw new AssayError('invalid', "configuration.path: must not contain '..'")
  return parsed.data
}

/** The field that names the place of a source. */
const placeField = (of: Source) => (isDatabaseSource(of) ? placeOf(of).field : isStoreSource(of) ? 'endpoint' : 'path')

/** Patterns are relative to the path and must not leave it. */
function checkPatterns(of: Source, key: 'include' | 'exclude'): void {
  const patterns = isFileSource(of) ? (of[key] ?? []) : []
  const index = patterns.findIndex((pattern) => isAbsolute(pattern) || pattern.split(/[/\\]/).includes('..'))
  if (index >= 0)
    throw new AssayError('invalid', `configuration.${key}.${index}: must be relative to the source, without '..'`)
}

/** The source as it is checked. A crawl waits for as long as the source says. */
const checked = (of: Source): Source =>
  isDatabaseSource(of) ? { ...of, connectTimeoutSeconds: Math.min(of.connectTimeoutSeconds, answerSeconds) } : of

type Call = { tenant: string; signal: AbortSignal }

export interface SourceCheck {
  /**
   * Whether a source has anything readable, and the number of tables that its names suggest. Throws `invalid` if the
   * tenant may not read there, `unavailable` while the engine is busy.
   */
  test(of: Source, call: Call): Promise<{ ok: boolean; message: string; assetsFound: number }>
  /**
   * Throws `invalid` with the reason if a source cannot or may not be opened, `unavailable` while the engine is busy.
   */
  open(of: Source, call: Call): Promise<void>
}

export function createSourceCheck(deps: {
  engine: Pick<DataEngine, 'probe' | 'discover'>
  timers: Timers
}): SourceCheck {
  const { engine, timers } = deps

  /** Throws `unprocessable` if it cannot be opened, `invalid` if it may not be. */
  async function probe(of: Source, { tenant, signal: caller }: Call) {
    const late = new AssayError('timeout', `it did not open within ${openMilliseconds / 1000} seconds`)
    try {
      return await withDeadline(timers, { milliseconds: openMilliseconds, late, signals: [caller] }, (signal) =>
        engine.probe(checked(of), { signal, tenant }),
      )
    } catch (error) {
      if (isAssayError(error, 'invalid'))
        throw new AssayError('invalid', `configuration.${placeField(of)}: ${messageOf(error)}`, { cause: error })
      if (error !== late && !isAssayError(error, 'unprocessable')) throw error
      const sentence = `configuration: the source cannot be opened: ${messageOf(error)}`
      throw new AssayError('unprocessable', sentence, { cause: error })
    }
  }

  /** Why nothing in a source can be read; `undefined` if something can, or if the check takes too long. */
  async function whyUnreadable(of: Source, { tenant, signal: caller }: Call): Promise<string | undefined> {
    const late = new AssayError('timeout', 'The first table took too long to read.')
    const limits = { milliseconds: readMilliseconds, late, signals: [caller] }
    const problems: string[] = []
    try {
      return await withDeadline(timers, limits, async (signal) => {
        for await (const found of engine.discover(checked(of), { signal, tenant })) {
          if (found.kind === 'table') return undefined
          if (found.kind === 'failed') problems.push(found.message)
        }
        return problems.slice(0, 3).join(' ') || 'It is empty.'
      })
    } catch (error) {
      if (error === late) return undefined
      throw error
    }
  }

  return {
    async test(of, call) {
      try {
        const { tables, skipped } = await probe(of, call)
        const unread = skipped.first.slice(0, 3).map(({ path, message }) => `${path}: ${message}`)
        const why = tables === 0 ? unread.join(' ') || 'It is empty.' : await whyUnreadable(of, call)
        if (why !== undefined)
          return { ok: false, message: `Nothing in the source can be read. ${why}`, assetsFound: 0 }
        return { ok: true, message: 'The source can be opened.', assetsFound: tables }
      } catch (error) {
        // A path that the tenant may not read is refused, whether it exists or not.
        if (!isAssayError(error, 'unprocessable')) throw error
        return { ok: false, message: error.message, assetsFound: 0 }
      }
    },
    async open(of, call) {
      try {
        await probe(of, call)
      } catch (error) {
        if (!isAssayError(error, 'unprocessable')) throw error
        throw new AssayError('invalid', error.message, { cause: error })
      }
    },
  }
}
