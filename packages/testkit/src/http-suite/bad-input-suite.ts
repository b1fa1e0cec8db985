import { type Operation, operations } from '@assay/contracts'
import { beforeAll, describe, expect, test } from 'vitest'
import type { HttpAnswer } from '../assay-process.ts'
import { badBodiesOf } from './bad-bodies.ts'
import { createClient, type HttpClient } from './client.ts'
import { type Fixtures, sharedFixtures } from './fixtures.ts'
import { inBatches } from './in-batches.ts'
import { badValues, type Mutation } from './mutations.ts'
import { bodyOf, fixturesIn, missingOf, pathOf } from './requests.ts'
import { settled, snapshot } from './snapshot.ts'
import type { Target } from './target.ts'

const badSegments = [
  'abc',
  '0',
  '-1',
  '1e3',
  '9223372036854775808',
  '1.0',
  '+1',
  '%20',
  '%D9%A1',
  '%00',
  '..%2F..',
  '__proto__',
  'x'.repeat(2000),
  '%D0%B8%D0%BC%D1%8F',
  '%27%20OR%201=1--',
  '%E0%A4%A',
]
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

const parametersOf = ({ query }: Operation): string[] => ('shape' in query ? Object.keys(query.shape as object) : [])

/** Each parameter twice, with the same value and with another. */
function doubledOf(operation: Operation): string[] {
  return parametersOf(operation).flatMap((name) => [`${name}=1&${name}=1`, `${name}=true&${name}=false`])
}

function queriesOf(operation: Operation): string[] {
  const wrong = parametersOf(operation).flatMap((name) => [
    ...[
      '',
      '-1',
      '0',
      '1e3',
      '99999999999999999999',
      '%00',
      '__proto__',
      '%D0%B8%D0%BC%D1%8F',
      'x'.repeat(2000),
      '%27%22;--',
    ].map((value) => `${name}=${value}`),
    `${name}[a]=1`,
    `${name}[]=1`,
  ])
  return [...doubledOf(operation), ...wrong]
}

/**
 * For each operation: bodies with one thing wrong in each field, ids that are none, parameters doubled. The client refuses
 * what is not documented, a 500 among it; what was refused must have changed nothing. `perBody` bounds what is sent of each
 * kind of body (`ASSAY_BAD_INPUT_PER_BODY=1000000`: all of it); the unit tests of the table try all of it on the schemas.
 * Of the wrong ids and queries of an operation every `nth` is sent.
 */
export function badInputSuite(
  open: () => Promise<Target>,
  { perBody = Number(process.env.ASSAY_BAD_INPUT_PER_BODY ?? 40), nth = 1 } = {},
): void {
  /** Every `nth`, beginning elsewhere for each operation. */
  const part = <T>(list: readonly T[], operation: Operation) =>
    list.filter((_, at) => (at + operations.indexOf(operation)) % nth === 0)

  describe('bad input, of every operation of the table', () => {
    let client: HttpClient
    let fixtures: Fixtures
    let missing: Fixtures
    /** Repeats requests that were refused for their content. */
    const refused: (() => Promise<HttpAnswer>)[] = []

    beforeAll(async () => {
      const target = await open()
      client = createClient(target, target.admin)
      fixtures = await sharedFixtures(client, target)
      missing = missingOf(fixtures)
    }, 300_000)

    const withBody = operations.filter(({ body }) => body !== undefined)
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
        // A request that was refused because of the current state may succeed later, so it is not compared.
        const again = of([403, 409, 422, 501])
        if (again.length === 0) return
        const root = rootOf(operation)
        const near = operations.some((each) => each.method === 'GET' && each.path.startsWith(root))
        const concerns = (each: Operation) => (near ? each.path.startsWith(root) : each.service === operation.service)
        await inAtMost(3, async () => {
          const before = await settled(client, fixtures, concerns)
          const isTaken = (await inBatches(again, send)).some(({ status }) => status < 400)
          if (!isTaken) expect(await snapshot(client, fixtures, concerns)).toEqual(before)
        })
      },
      180_000,
    )

    test('given all bodies that were refused for their content, when they are sent again, then nothing has changed', async () => {
      let again = refused
      expect(again.length).toBeGreaterThan(0)
      // Earlier work may end in between: a change by a refusal would show each time.
      await inAtMost(3, async () => {
        const before = await settled(client, fixtures, () => true)
        const sent = again
        const answers = await inBatches(sent, (send) => send())
        // Another test may have created what lets a request succeed: leave it out next time.
        again = sent.filter((_, at) => (answers[at]?.status ?? 0) >= 400)
        expect(again).toHaveLength(sent.length)
        expect(await settled(client, fixtures, () => true)).toEqual(before)
      })
    }, 300_000)

    test.each(operations.filter(({ path }) => path.includes('{')).map((each): [string, Operation] => [each.id, each]))(
      'given an invalid id, when %s is called, then the answer is documented, 400 for a numeric id',
      async (_, operation) => {
        const body = bodyOf(operation, fixtures)
        const asked = fixturesIn(operation).flatMap((_, place) =>
          part(badSegments, operation).map((segment) => ({ segment, place })),
        )
        await inBatches(asked, async ({ segment, place }) => {
          const answer = await client.call(operation.method, pathOf(operation, missing, segment, place), body)
          if (isNumber(operation, place)) expect([segment, answer.status]).toEqual([segment, 400])
          else if (operation.method !== 'DELETE' && !badValues.some(({ value }) => value === segment))
            expect([segment, answer.status]).toEqual([segment, expect.toSatisfy((status: number) => status >= 400)])
        })
      },
      60_000,
    )

    test('given invalid ids next to valid ones, when things are changed or deleted, then nothing has changed', async () => {
      const changing = operations.filter(({ method, path }) => method !== 'GET' && path.includes('{'))
      const asked = changing.flatMap((operation) =>
        fixturesIn(operation).flatMap((_, place) =>
          isNumber(operation, place)
            ? part(badSegments, operation).map((segment) => ({ operation, place, segment }))
            : [],
        ),
      )
      const before = await settled(client, fixtures, () => true)
      await inBatches(asked, async ({ operation, place, segment }) => {
        const path = pathOf(operation, fixtures, segment, place)
        const answer = await client.call(operation.method, path, bodyOf(operation, fixtures))
        expect([operation.id, segment, answer.status]).toEqual([operation.id, segment, 400])
      })
      expect(await settled(client, fixtures, () => true)).toEqual(before)
    }, 300_000)

    test('given repeated parameters, when things are changed or deleted, then each request is refused and nothing has changed', async () => {
      const changing = operations.filter(({ method }) => method !== 'GET')
      const asked = changing.flatMap((operation) =>
        part(doubledOf(operation), operation).map((query) => ({ operation, query })),
      )
      expect(asked.length).toBeGreaterThan(0)
      const before = await settled(client, fixtures, () => true)
      await inBatches(asked, async ({ operation, query }) => {
        const path = `${pathOf(operation, fixtures)}?${query}`
        const answer = await client.call(operation.method, path, bodyOf(operation, fixtures))
        expect([operation.id, query, answer.status]).toEqual([operation.id, query, 400])
      })
      expect(await settled(client, fixtures, () => true)).toEqual(before)
    }, 300_000)

    test.each(
      operations.filter((each) => queriesOf(each).length > 0).map((each): [string, Operation] => [each.id, each]),
    )(
      'given repeated or wrong parameters, when %s is called, then the answer is documented',
      async (_, operation) => {
        const path = pathOf(operation, operation.method === 'GET' ? fixtures : missing)
        await inBatches(part(queriesOf(operation), operation), (query) =>
          client.call(operation.method, `${path}?${query}`, bodyOf(operation, fixtures)),
        )
      },
      60_000,
    )
  })
}

/** Whether the path parameter at that index is numeric. */
function isNumber(operation: Operation, place: number): boolean {
  const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '')
  return !operation.params.safeParse(Object.fromEntries(names.map((name, at) => [name, at === place ? 'abc' : '1'])))
    .success
}
