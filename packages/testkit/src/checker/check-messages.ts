import type { ExpectedMessage, Facts, Finding, TopicMessage } from './facts.ts'

const idIn = ({ topic, id }: { topic: string; id: string }) => `${topic} ${id}`
const keyIn = ({ topic, key }: { topic: string; key: string }) => `${topic} ${key}`

/** The first message of each id, because receivers ignore repetitions. */
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
    : [{ kind: 'changed-message', about: `${idIn(wanted)} at ${wrong.partition}/${wrong.offset}`, isTransient: false }]
}

function ofOrder(expected: readonly ExpectedMessage[], topics: readonly TopicMessage[]): Finding[] {
  const indexes = new Map(expected.map((message, index) => [idIn(message), index]))
  const last = new Map<string, { index: number; partition: number }>()
  const findings: Finding[] = []
  for (const message of firsts(topics)) {
    const index = indexes.get(idIn(message))
    if (index === undefined) continue
    const before = last.get(keyIn(message))
    if (before !== undefined && (index < before.index || message.partition !== before.partition))
      findings.push({ kind: 'message-order', about: `${idIn(message)} of key ${message.key}`, isTransient: false })
    last.set(keyIn(message), { index, partition: message.partition })
  }
  return findings
}

/**
 * Checks that every event's messages are on their topics, with the right content, in log order per key, and that there
 * are no other messages.
 */
export function checkMessages({ expectedMessages, topics }: Pick<Facts, 'expectedMessages' | 'topics'>): Finding[] {
  const got = Map.groupBy(topics, idIn)
  const wanted = new Set(expectedMessages.map(idIn))
  const foreign = topics.filter((message) => !wanted.has(idIn(message)))
  return [
    ...expectedMessages.flatMap((message): Finding[] => {
      const found = got.get(idIn(message))
      return found === undefined
        ? [{ kind: 'lost-message', about: `${idIn(message)} of key ${message.key}`, isTransient: true }]
        : ofContent(message, found)
    }),
    // The event may have been published after the log was read.
    ...foreign.map((message): Finding => ({ kind: 'foreign-message', about: idIn(message), isTransient: true })),
    ...ofOrder(expectedMessages, topics),
  ]
}
