import { describe, expect, it } from 'vitest'
import { brokerAccessOf, brokerRefusal, parseAllowedBroker } from './broker-access.ts'

describe('allowed brokers', () => {
  it.each([
    ['kafka-1:9092', { tenant: 'default', broker: 'kafka-1:9092' }],
    ['sales=Kafka.example:9092', { tenant: 'sales', broker: 'kafka.example:9092' }],
    ['*=[::1]:9092', { tenant: '*', broker: '[::1]:9092' }],
    ['kafka-1', undefined],
    ['sales=', undefined],
    ['kafka-1:9092/x', undefined],
  ])('%s is %j', (text, parsed) => {
    expect(parseAllowedBroker(text)).toEqual(parsed)
  })

  it('given a list, then each tenant may read its own and those of all, whatever their case', () => {
    const listed = ['a:1', 'sales=b:2', '*=c:3'].flatMap((text) => parseAllowedBroker(text) ?? [])
    const of = brokerAccessOf({ listed, isEmbedded: true })
    expect(of('default')).toEqual(['a:1', 'c:3'])
    expect(of('sales')).toEqual(['b:2', 'c:3'])
    expect(brokerRefusal(of('sales'), 'B:2')).toBeNull()
    expect(brokerRefusal(of('sales'), 'a:1')).toContain('ASSAY_ALLOWED_BROKERS')
  })

  it('given none, then only the default tenant of the embedded form may read any', () => {
    expect(brokerAccessOf({ listed: undefined, isEmbedded: true })('default')).toBeNull()
    expect(brokerAccessOf({ listed: undefined, isEmbedded: true })('sales')).toEqual([])
    expect(brokerAccessOf({ listed: undefined, isEmbedded: false })('default')).toEqual([])
  })
})
