import { expect, it } from 'vitest'
import { changeOfFiles } from './last-change.ts'

const at = (text: string) => Date.parse(`2026-11-${text}Z`)

it('given files, then the newest one says when the data changed, and each time is listed once', () => {
  const files = [
    { size: 10, mtimeMs: at('20T06:10:00.250') + 0.7 },
    { size: 5, mtimeMs: at('19T06:10:00') },
    { size: 7, mtimeMs: at('19T06:10:00') },
  ]
  expect(changeOfFiles(files, { state: 'one', elapsedMs: 3 })).toEqual({
    at: '2026-11-20T06:10:00.250Z',
    source: 'FILE_TIME',
    times: ['2026-11-19T06:10:00.000Z', '2026-11-20T06:10:00.250Z'],
    files: 3,
    bytes: 22,
    newestBytes: 10,
    messages: null,
    state: 'one',
    elapsedMs: 3,
  })
})
