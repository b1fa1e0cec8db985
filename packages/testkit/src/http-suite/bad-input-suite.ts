import { type Operation, operations } from '@assay/contracts'
import { beforeAll, describe, expect, test } from 'vitest'
import type { HttpAnswer } from '../assay-process.ts'
import { badBodiesOf } from './bad-bodies.ts'
import { badSegments, doubledOf, isNumber, queriesOf } from './bad-urls.ts'
import { createClient, type HttpClient } from './client.ts'
import { type Fixtures, sharedFixtures } from './fixtures.ts'
import { inBatches } from './in-batches.ts'
import { badValues, type Mutation } from './mutations.ts'
import { bodyOf, fixturesIn, missingOf, pathOf } from './requests.ts'
import { settled, snapshot } from './snapshot.ts'
import { type SpotChecks, spotChecked } from './spot-checks.ts'
import type { Target } from './target.ts'

/** Tries up to n times; rejects with the last error. */
async function inAtMost(times: number, attempt: () => Promise<void>): Promise<void> {
  for (let left = times; ; left -= 1) {
    try {
      return await attempt()
    } catch (error) {
      if (left <= 1) throw error
    }
  }
}

/** Groups operations by their path up to the first parameter. */
const rootOf = ({ path }: Operation) => path.split('/{')[0] ?? path

const isPositive = (count: number) => count > 0

/** All faults in a list. A rejection counts as one fault. */
async function faultsOfEach<T>(list: readonly T[], faultOf: (each: T) => Promise<string | undefined>) {
  const faults = await inBatches(list, (each) => faultOf(each).catch(String))
  return faults.filter((fault) => fault !== undefined)
}

/**
 * Sends bad input to each operation: bodies with one fault, invalid ids, repeated parameters. The client rejects
 * undocumented answers, including a 500. Refused requests must change nothing. Unit tests try all bad input on the
 * schemas, so this suite sends only a part of it: for each kind of body at most `perBody` faults
 * (`ASSAY_BAD_INPUT_PER_BODY=1000000`: all), and every `nth` invalid id and query.
 */
export function badInputSuite(
  open: () => Promise<Target>,
  {
    of,
    perBody = Number(process.env.ASSAY_BAD_INPUT_PER_BODY ?? 4),
    nth = 8,
  }: { of?: SpotChecks; perBody?: number; nth?: number } = {},
): void {
  /** Every `nth` element; the first one differs between operations. */
  const part = <T>(list: readonly T[], operation: Operation) =>
    list.filter((_, at) => (at + operations.indexOf(operation)) % nth === 0)

  const tried = spotChecked(operations, of)

  describe('bad input, of every operation of the table', () => {
    let client: HttpClient
    let fixtures: Fixtures
    let missing: Fixtures
    /** Functions that repeat the requests that were refused for their content. */
    const refused: (() => Promise<HttpAnswer>)[] = []

    beforeAll(async () => {
      const target = await open()
      client = createClient(target, target.admin)
      fixtures = await sharedFixtures(client, target)
      missing = missingOf(fixtures)
    }, 300_000)

    const withBody = tried.filter(({ body }) => body !== undefined)
    test.each(withBody.map((each): [string, Operation] => [each.id, each]))(
      'given a body with one fault, when it is sent to %s, then the answer is documented, and a refusal changes nothing',
      async (_, operation) => {
        const { method } = operation
        const path = pathOf(operation, fixtures)
        const send = ({ value }: Mutation) => client.call(method, path, value)
        const sent = badBodiesOf(operation, fixtures, perBody)
        const answers = await inBatches(sent, send)
        const refusals = sent.map((mutation, at) => ({ mutation, status: answers[at]?.status ?? 0 }))
        expect(refusals.some(({ status }) => status >= 400)).toBe(true)
        const of = (statuses: readonly number[]) =>
          refusals.filter(({ status }) => statuses.includes(status)).map(({ mutation }) => mutation)
        refused.push(...of([400, 404, 413]).map((mutation) => () => send(mutation)))
        // A request that was refused because of the current state may succeed later. In this case nothing is compared.
        const again = of([403, 409, 422, 501])
        if (again.length === 0) return
        const root = rootOf(operation)
        const hasReads = operations.some((each) => each.method === 'GET' && each.path.startsWith(root))
        const concerns = (each: Operation) =>
          hasReads ? each.path.startsWith(root) : each.service === operation.service
        await inAtMost(3, async () => {
          const before = await settled(client, fixtures, concerns)
          const isAccepted = (await inBatches(again, send)).some(({ status }) => status < 400)
          if (!isAccepted) expect(await snapshot(client, fixtures, concerns)).toEqual(before)
        })
      },
      180_000,
    )

    test('given refused bodies, invalid ids next to valid ones, and repeated parameters, when they are sent to change or delete things, then each is refused and nothing has changed', async () => {
      const changing = tried.filter(({ method }) => method !== 'GET')
      const send = async (operation: Operation, path: string, wrong: string) => {
        const { status } = await client.call(operation.method, path, bodyOf(operation, fixtures))
        return status === 400 ? undefined : `${operation.id} with ${wrong} -> ${status}`
      }
      const asked = changing.flatMap((operation) => [
        ...fixturesIn(operation).flatMap((_, index) =>
          isNumber(operation, index)
            ? part(badSegments, operation).map(
                (segment) => () => send(operation, pathOf(operation, fixtures, segment, index), segment),
              )
            : [],
        ),
        ...part(doubledOf(operation), operation).map(
          (query) => () => send(operation, `${pathOf(operation, fixtures)}?${query}`, query),
        ),
      ])
      let again = refused
      expect([again.length, asked.length]).toEqual([expect.toSatisfy(isPositive), expect.toSatisfy(isPositive)])
      // Earlier work may end in between. A change that a refused request caused would appear in every attempt.
      await inAtMost(3, async () => {
        const before = await settled(client, fixtures, () => true)
        const sent = again
        const answers = await inBatches(sent, (repeat) => repeat())
        // Another test may have created a thing with which a request succeeds. The next attempt leaves this request out.
        again = sent.filter((_, at) => (answers[at]?.status ?? 0) >= 400)
        expect(again).toHaveLength(sent.length)
        expect(await faultsOfEach(asked, (attempt) => attempt())).toEqual([])
        expect(await settled(client, fixtures, () => true)).toEqual(before)
      })
    }, 300_000)

    test('given invalid ids, when operations are called, then the answers are documented, 400 for a numeric id', async () => {
      const asked = tried.flatMap((operation) =>
        fixturesIn(operation).flatMap((_, index) =>
          part(badSegments, operation).map((segment) => ({ operation, segment, index })),
        ),
      )
      const faults = await faultsOfEach(asked, async ({ operation, segment, index }) => {
        const path = pathOf(operation, missing, segment, index)
        const { status } = await client.call(operation.method, path, bodyOf(operation, fixtures))
        const mayBeName = operation.method === 'DELETE' || badValues.some(({ value }) => value === segment)
        const isRight = isNumber(operation, index) ? status === 400 : mayBeName || status >= 400
        return isRight ? undefined : `${operation.id} with ${segment} -> ${status}`
      })
      expect(faults).toEqual([])
    }, 180_000)

    test('given repeated or wrong parameters, when operations are called, then the answers are documented', async () => {
      const asked = tried.flatMap((operation) =>
        part(queriesOf(operation), operation).map((query) => ({ operation, query })),
      )
      const faults = await faultsOfEach(asked, async ({ operation, query }) => {
        const path = pathOf(operation, operation.method === 'GET' ? fixtures : missing)
        await client.call(operation.method, `${path}?${query}`, bodyOf(operation, fixtures))
        return undefined
      })
      expect(faults).toEqual([])
    }, 180_000)
  })
}
