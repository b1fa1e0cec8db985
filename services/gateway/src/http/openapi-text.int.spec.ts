import { setTimeout as later } from 'node:timers/promises'
import { openApiDocument } from '@assay/contracts'
import { expect, it } from 'vitest'
import { openApiText } from './openapi-text.ts'

it('given a version, when two ask for its document at once, then both get the one text that contracts generate, and this thread continues meanwhile', async () => {
  const text = openApiText('7.8.9')
  const asked = Promise.all([text(), text()])
  let turns = 0
  let isMade = false
  void asked.then(() => {
    isMade = true
  })
  while (!isMade) {
    await later(1)
    turns += 1
  }
  expect(turns).toBeGreaterThan(10)
  const [one, other] = await asked
  expect(JSON.parse(one)).toEqual(JSON.parse(JSON.stringify(openApiDocument('7.8.9'))))
  expect(other).toBe(one)
})
