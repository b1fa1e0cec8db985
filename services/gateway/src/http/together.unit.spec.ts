import { expect, test, vi } from 'vitest'
import { createTogether } from './together.ts'

const turn = () => new Promise((resolve) => setImmediate(resolve))

test('given a run under way, when more ask for the same, then they share one that begins behind it; others do not wait', async () => {
  const runs: { key: string; end: (value: string) => void }[] = []
  const work = vi.fn((key: string) => new Promise<string>((end) => runs.push({ key, end })))
  const together = createTogether(work)
  const first = together('a')
  const [second, third, other] = [together('a'), together('a'), together('b')]
  await turn()
  expect(runs.map(({ key }) => key)).toEqual(['a', 'b'])
  runs[0]?.end('one')
  runs[1]?.end('b')
  expect([await first, await other]).toEqual(['one', 'b'])
  await turn()
  expect(work).toHaveBeenCalledTimes(3)
  runs[2]?.end('two')
  expect([await second, await third]).toEqual(['two', 'two'])
})

test('given a run that fails, when others wait behind it, then they get what theirs comes to', async () => {
  let fails = true
  const together = createTogether(async () => {
    await turn()
    if (fails) throw new Error('No.')
    return 'yes'
  })
  const first = expect(together('a')).rejects.toThrow('No.')
  const second = together('a')
  await first
  fails = false
  expect(await second).toBe('yes')
  expect(await together('a')).toBe('yes')
})
