import { createOutages } from '@assay/service-kit'
import { expect, test } from 'vitest'
import { driverLogger } from './watching.ts'

test('given the driver of Kafka, when connections fail, then one line is logged; a refusal by the broker is not an outage', () => {
  const lines: string[] = []
  const write = (_fields: object, text: string) => void lines.push(text)
  const logger = { debug: () => {}, info: write, warn: write, error: write }
  const outages = createOutages({ logger, clock: { now: () => 0 } })
  const driver = driverLogger(outages.quiet(logger), outages.server('Kafka'))
  driver.warn({ part: 'Connection', error: 'The group is rebalancing' }, 'Response Heartbeat(key: 12, version: 3)')
  for (let n = 0; n < 5; n++) driver.warn({ part: 'Connection' }, 'Connection error: connect ECONNREFUSED 127.0.0.1:1')
  driver.warn({ part: 'Consumer' }, 'Crash: KafkaJSError: Connection error: connect ECONNREFUSED 127.0.0.1:1')
  driver.warn({ error: 'poison' }, 'A message is parked.')
  expect(lines).toEqual(['Response Heartbeat(key: 12, version: 3)', 'Kafka does not answer', 'A message is parked.'])
})
