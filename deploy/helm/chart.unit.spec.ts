import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { internalTopics, publicTopics } from '../../packages/contracts/src/index.ts'
import { offered } from '../variables/chart-settings.ts'
import { settableBySettings, templatedVariables, textOf } from './chart.ts'

describe.each(Object.entries(offered))('given the environment of %s in the chart', (service, known) => {
  const templated = templatedVariables(service)
  const bySettings = settableBySettings().get(service) ?? []

  test('then every variable of its configuration can be set, and no other', () => {
    expect([...templated, ...bySettings].toSorted()).toEqual(known.toSorted())
  })

  test('then what the values set by default is among them', () => {
    const values = parse(textOf('values.yaml'))
    const given = service === 'standalone' ? values.embedded : values.services[service]
    expect(Object.keys(given.settings).filter((name) => !bySettings.includes(name))).toEqual([])
  })
})

describe('given the chart as a whole', () => {
  test('then it has the version of the product', () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
    expect(parse(textOf('Chart.yaml'))).toMatchObject({ version, appVersion: version })
  })

  test('then the topics whose lag it looks at are those that a service follows', () => {
    const [, text = ''] =
      /define "assay\.follows" -\}\}([\s\S]*?)\{\{- end/.exec(textOf('templates/_helpers.tpl')) ?? []
    for (const [service, topics] of Object.entries<string[]>(JSON.parse(text))) {
      const source = feeds(service)
      expect([...source.matchAll(/group: '(\w+)'/g)].map(([, group]) => group)).toEqual([service])
      const [, list = ''] = /topics: \[([^\]]*)\]/.exec(source) ?? []
      const followed = list.split(',').map((expression) => topicOf(expression.trim()))
      expect(topics.toSorted()).toEqual(followed.toSorted())
    }
  })
})

const feedOf: Readonly<Record<string, string>> = {
  policy: 'copies',
  execution: 'copies',
  sampling: 'copies',
  notification: 'happenings',
}
const feeds = (service: string) =>
  readFileSync(new URL(`../../services/${service}/src/${feedOf[service]}/feed.ts`, import.meta.url), 'utf8')

const topicNames = new Map<string, string>([
  ...Object.entries(publicTopics).map(([key, name]) => [`publicTopics.${key}`, name] as const),
  ...Object.entries(internalTopics).map(([key, name]) => [`internalTopics.${key}`, name] as const),
])
const topicOf = (expression: string) => topicNames.get(expression) ?? `${expression} is no topic`
