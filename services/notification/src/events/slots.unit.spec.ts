import { expect, test } from 'vitest'
import { createSlots } from './slots.ts'

test('given a key whose slots are taken, then it gets the oldest one whose stream has ended, and otherwise none', () => {
  const slots = createSlots(2)
  const dropped: number[] = []
  const [first, second] = [slots.take('a'), slots.take('a')]
  slots.take('b')
  expect(() => slots.take('a')).toThrow('has 2 open streams')
  first.end(() => dropped.push(1))
  second.end(() => dropped.push(2))
  const third = slots.take('a')
  expect(dropped).toEqual([1])
  first.free()
  third.free()
  slots.take('a')
  expect(dropped).toEqual([1])
  slots.take('a')
  expect(dropped).toEqual([1, 2])
  expect(() => slots.take('a')).toThrow('has 2 open streams')
})
