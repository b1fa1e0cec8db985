import type { ExpectedMessage, Facts, Finding, TopicMessage } from './facts.ts'

const idIn = ({ topic, id }: { topic: string; id: string }) => `${topic} ${id}`
const keyIn = ({ topic, key }: { topic: string; key: string }) => `${topic} ${key}`

/** The first message of each id: receivers ignore repetitions. */
function firsts(messages: readonly TopicMessage[]): TopicMessage[] {
  const seen = new Set<string>()
  return messages.filter((message) => {
    const isFirst = !seen.has(idIn(message))
    seen.add(idIn(message))
    return isFirst
  })
}

function ofContent(wanted: ExpectedMessage, got: readonly TopicMessage[]): Finding[] {
  const wrong = got.find(({ key, body }) => key !== wanted.key || body !== wanted.body)
  return wrong === undefined
    ? []
    : [{ kind: 'changed-message', about: `${idIn(wanted)} at ${wrong.partition}/${wrong.offset}`, passing: false }]
}

function ofOrder(expected: readonly ExpectedMessage[], topics: readonly TopicMessage[]): Finding[] {
  const place = new Map(expected.map((message, index) => [idIn(message), index]))
  const last = new Map<string, { place: number; partition: number }>()
  const findings: Finding[] = []
  for (const message of firsts(topics)) {
    const at = place.get(idIn(message))
    if (at === undefined) continue
    const before = last.get(keyIn(message))
    if (before !== undefined && (at < before.place || message.partition !== before.partition))
      findings.push({ kind: 'message-order', about: `${idIn(message)} of key ${message.key}`, passing: false })
    last.set(keyIn(message), { place: at, partition: message.partition })
  }
  return findings
}

/** Every event's messages are on their topics, with the right content, in log order per key; there are no others. */
export function checkMessages({ expectedMessages, topics }: Pick<Facts, 'expectedMessages' | 'topics'>): Finding[] {
  const got = Map.groupBy(topics, idIn)
  const wanted = new Set(expectedMessages.map(idIn))
  const foreign = topics.filter((message) => !wanted.has(idIn(message)))
  return [
    ...expectedMessages.flatMap((message): Finding[] => {
      const found = got.get(idIn(message))
      return found === undefined
        ? [{ kind: 'lost-message', about: `${idIn(message)} of key ${message.key}`, passing: true }]
        : ofContent(message, found)
    }),
    // The log may have been read a moment before the topics.
    ...foreign.map((message): Finding => ({ kind: 'foreign-message', about: idIn(message), passing: true })),
    ...ofOrder(expectedMessages, topics),
  ]
}
