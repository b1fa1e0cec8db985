import { setTimeout as sleep } from 'node:timers/promises'
import { gatewayOperations, type Operation, operations, permissions } from '@assay/contracts'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Tools } from './audited-preparations.ts'
import { type AuditedWrite, auditedWriteOf, isWrite } from './audited-writes.ts'
import { createClient, type HttpClient } from './client.ts'
import { type Fixtures, newUniqueName, sharedFixtures } from './fixtures.ts'
import { bodyOf, pathOf } from './requests.ts'
import { type SpotChecks, spotChecked } from './spot-checks.ts'
import type { Pair, Target } from './target.ts'

interface Line {
  actor: string
  accessKey: string | null
  at: string
  entityType: string
  entityId: unknown
  before: unknown
  after: unknown
}

const written = 'x-assay-written'
/** Milliseconds; slightly less than the time for which the audit waits for its caller's writes. */
const auditWaitMs = 9_000
const pollMs = 120_000

/**
 * The lines of the audit's first answer. Asks again only if the audit has waited its full time without getting a line.
 * This happens on a busy machine.
 */
async function linesOf(
  reader: HttpClient,
  query: string,
  headers: Record<string, string>,
  isOwn: (line: Line) => boolean,
): Promise<Line[]> {
  const end = performance.now() + pollMs
  for (let isLate = false; ; ) {
    const began = performance.now()
    const { json } = await reader.call('GET', `/admin/api/audit?${query}`, undefined, headers)
    const lines = json.data.filter(isOwn)
    const now = performance.now()
    isLate ||= now - began >= auditWaitMs
    if (lines.length > 0 || !isLate || now > end) return lines
    await sleep(100)
  }
}

function expectChange(change: AuditedWrite['change'], { before, after }: Line): void {
  expect(before === null).toBe(change === 'made')
  expect(after === null).toBe(change === 'gone')
  expect(before).not.toEqual(after)
}

/**
 * Sends each write of the table, and reads its audit line immediately. `readAt`: another gateway of the same Assay. The
 * read at this gateway sends the header of the write's answer.
 */
export function auditSuite(
  open: () => Promise<Target>,
  { readAt, of }: { readAt?: () => Promise<Pick<Target, 'baseUrl'>>; of?: SpotChecks } = {},
): void {
  const audited = spotChecked(operations.filter(isWrite), of)
  describe(`the audit, read at ${readAt ? 'another' : 'the same'} gateway`, () => {
    let target: Target
    let admin: HttpClient
    let fixtures: Fixtures

    beforeAll(async () => {
      target = await open()
      admin = createClient(target, target.admin)
      fixtures = await sharedFixtures(admin, target)
    }, 300_000)

    async function ownKey(userName: string | undefined): Promise<Pair & { user: string }> {
      const of = { displayName: newUniqueName(), validTill: '2099-01-01', permissions }
      const request = userName === undefined ? of : { ...of, userName }
      const { accessKey, secretKey } = await admin.good('POST', gatewayOperations.createApiKey.path, request)
      const made = await linesOf(admin, `entity=API_KEY/${accessKey}`, {}, () => true)
      return { accessKey, secretKey, user: Object(made[0]?.after).user }
    }

    /** Sends a write. Retries it if it may be refused for a while. Some kinds of policies refuse it. */
    async function send(tools: Tools, operation: Operation, write: AuditedWrite, prepared: Fixtures) {
      const success = operation.success ?? (operation.answer ? 200 : 204)
      const expected = [success, ...(write.mayBeLate ? [422] : []), ...(write.notOfEach ? [404, 501] : [])]
      const attempt = async () => {
        const body = write.body ? write.body(prepared) : bodyOf(operation, prepared)
        const answer = await tools.own.call(operation.method, pathOf(operation, prepared), body)
        if (!expected.includes(answer.status)) throw new Error(`${operation.id} -> ${answer.status} ${answer.text}`)
        return answer
      }
      return write.again ? tools.own.eventually(attempt) : attempt()
    }

    test.each(audited.map((each): [string, Operation] => [each.id, each]))(
      'given %s, when the audit is read immediately, then it has one line with actor, key, before and after',
      async (_, operation) => {
        const write = auditedWriteOf(operation)
        const { user, ...pair } = await ownKey(write.asAdmin ? undefined : newUniqueName())
        const own = createClient(target, pair)
        const tools: Tools = { admin, own, user, fixtures, sharedFolder: target.sharedFolder }
        const prepared = { ...fixtures, ...(await write.prepare?.(tools)) }
        const answer = await send(tools, operation, write, prepared)
        const position = answer.headers.get(written)
        if (!write.mayBeLate && answer.status < 400) expect(position).toMatch(/^\w+:/)
        const reader = readAt ? createClient(await readAt(), pair) : own
        const headers = readAt && position !== null ? { [written]: position } : {}
        const isOwn = ({ accessKey }: Line) => accessKey === pair.accessKey
        const lines = await linesOf(reader, `type=${write.action}&size=100`, headers, isOwn)
        if (position === null) {
          expect(lines).toEqual([])
          return
        }
        expect(lines).toEqual([expect.objectContaining({ actor: user, at: expect.stringMatching(/Z$/) })])
        for (const line of lines) {
          expectChange(write.change, line)
          // An id of digits is a number, as in the record of the entity.
          const isNumber = /^[1-9]\d{0,14}$/.test(String(line.entityId))
          expect([line.entityType, typeof line.entityId]).toEqual([line.entityType, isNumber ? 'number' : 'string'])
        }
        await write.after?.(tools)
      },
      180_000,
    )
  })
}
