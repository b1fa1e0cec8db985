import { collectWrites } from '@assay/service-kit'
import { describe, expect, it } from 'vitest'
import { notingWrites } from './noting-writes.ts'
import type { NewEvent } from './port.ts'

const event = (type: string): NewEvent => {
  const metadata = { tenant: 't', actor: 'ann', schemaVersion: 1, occurredAt: '2026-01-01T00:00:00.000Z' }
  return { id: type, type, data: {}, metadata }
}
let count = 0
const commit = notingWrites(
  async () => ({ revision: 0, position: `p${++count}` }),
  ({ type }, stream) => type === 'Published' && stream === 't/thing-1',
)
const append = (stream: string, ...types: string[]) =>
  commit({ stream, events: types.map(event), expected: 'any' }, () => [])

describe('notingWrites', () => {
  it('given writes, then only positions of writes whose last event is published are reported', async () => {
    const { result, positions } = await collectWrites(async () => {
      const published = await append('t/thing-1', 'Published')
      await append('t/thing-1', 'Published', 'Own')
      await append('t/other-1', 'Published')
      return [published, await append('t/thing-1', 'Own', 'Published')]
    })
    expect(positions).toEqual(result.map(({ position }) => position))
  })

  it('given no request, then the write is committed and not reported', async () => {
    expect(await append('t/thing-1', 'Published')).toMatchObject({ revision: 0 })
  })
})
