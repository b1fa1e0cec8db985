import type { DataEngine, Prepared, Progress } from '@assay/data-engine'
import { AssayError, type ErrorCode, isAssayError } from '@assay/service-kit/errors'
import { describe, expect, it } from 'vitest'
import type { Copies } from '../references/copies.ts'
import { tableFixture } from '../testing/fixtures.ts'
import { prepareDefinition } from './prepare-definition.ts'

const { locator } = tableFixture()
const definition = { tenant: 't', locator, metrics: [] }
const prepared: Prepared = { columns: [], filterError: null, metricErrors: [] }
const touches = async () => []
const nothing: Copies = { get: async () => undefined, find: async () => ({ documents: [], count: 0 }) }
const slow = {
  sleep: (_: number, signal?: AbortSignal) =>
    new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve())),
}

describe('checking a definition against its source', () => {
  it('returns the result of the engine', async () => {
    expect(
      await prepareDefinition(
        { touches, prepare: async () => prepared },
        slow,
        nothing,
        async () => undefined,
      )(definition),
    ).toEqual({
      ...prepared,
      itemProblems: [],
    })
  })
  const failing = (code: ErrorCode) => ({ touches, prepare: () => Promise.reject(new AssayError(code, 'no')) })
  it('treats a source that cannot be read as unreachable', async () => {
    expect(await prepareDefinition(failing('unprocessable'), slow, nothing, async () => undefined)(definition)).toBe(
      'unreachable',
    )
  })
  it.each<[ErrorCode, ErrorCode]>([
    ['timeout', 'unavailable'],
    ['unavailable', 'unavailable'],
    ['rate-limited', 'rate-limited'],
    ['too-large', 'unprocessable'],
  ])('refuses a definition whose check ended with %s', async (code, refusal) => {
    const check = prepareDefinition(failing(code), slow, nothing, async () => undefined)(definition)
    await expect(check).rejects.toMatchObject({ code: refusal })
  })
  it('aborts the check after ten seconds and refuses the definition', async () => {
    const waited: number[] = []
    const sleep = async (milliseconds: number) => {
      waited.push(milliseconds)
    }
    const prepare = (_: unknown, { signal }: { signal: AbortSignal }) =>
      new Promise<Prepared>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    const check = prepareDefinition({ touches, prepare }, { sleep }, nothing, async () => undefined)(definition)
    await expect(check).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 5 })
    expect(waited).toEqual([10_000])
  })
  it.each<[string, Progress['stage'][], number, 'unreachable' | 'unavailable']>([
    ['waits for a slot', [], 0, 'unavailable'],
    ['has just begun to read the source', ['READING'], 4_000, 'unavailable'],
    ['waits for the source', ['READING', 'READING'], 5_000, 'unreachable'],
    ['is slow with the definition itself', ['READING', 'MEASURING'], 5_000, 'unavailable'],
  ])('given an engine that %s at the time limit', async (_, stages, readMs, outcome) => {
    const sleeps: { milliseconds: number; wake: () => void }[] = []
    const sleep = (milliseconds: number) =>
      new Promise<void>((wake) => {
        sleeps.push({ milliseconds, wake })
      })
    const prepare = (_: unknown, { signal, onProgress }: Parameters<DataEngine['prepare']>[1]) => {
      for (const stage of stages) onProgress?.({ stage, fraction: null })
      for (const { milliseconds, wake } of sleeps) if (milliseconds <= readMs) wake()
      setImmediate(() => sleeps.find(({ milliseconds }) => milliseconds === 10_000)?.wake())
      return new Promise<Prepared>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    }
    const check = prepareDefinition({ touches, prepare }, { sleep }, nothing, async () => undefined)(definition)
    await expect(check.catch((error: unknown) => isAssayError(error) && error.code)).resolves.toBe(outcome)
  })
  it('passes errors about the definition', async () => {
    const prepare = async () => {
      throw new AssayError('invalid', 'unknown column')
    }
    await expect(
      prepareDefinition({ touches, prepare }, slow, nothing, async () => undefined)(definition),
    ).rejects.toMatchObject({
      code: 'invalid',
    })
  })
  it('does not call the engine for a table that cannot be opened', async () => {
    const check = prepareDefinition({ touches, prepare: async () => prepared }, slow, nothing, async () => undefined)
    expect(await check({ ...definition, locator: { kind: 'later' } })).toBe('unreachable')
  })
})
