import { setTimeout as later } from 'node:timers/promises'
import { openApiDocument } from '@assay/contracts'
import { expect, it } from 'vitest'
import { openApiText } from './openapi-text.ts'

it('given two concurrent requests for the document, then both get the same text, and the event loop is not blocked', async () => {
  const text = openApiText('7.8.9')
  const asked = Promise.all([text(), text()])
  let turns = 0
  let isGenerated = false
  void asked.then(() => {
    isGenerated = true
  })
  while (!isGenerated) {
    await later(1)
    turns += 1
  }
  expect(turns).toBeGreaterThan(10)
  const [one, other] = await asked
  expect(JSON.parse(one)).toEqual(JSON.parse(JSON.stringify(openApiDocument('7.8.9'))))
  expect(other).toBe(one)
})
