import type { Documents } from '@assay/documents'
import { publicEvents } from './collection.ts'

/** Each may be kept twice for a moment, and a query returns at most 1,000. */
const mostTogether = 500

interface Question {
  ids: string[]
  answer: Promise<ReadonlySet<string>>
}

/**
 * Answers whether an event is kept. Batches the questions that arrive while a query is in flight: every event is
 * checked before it is kept, and a query for each would cost the store as much as keeping it.
 */
export function createKnownEvents(
  documents: Pick<Documents, 'find'>,
): (tenant: string, eventId: string) => Promise<boolean> {
  const waiting = new Map<string, Question>()
  let last: Promise<unknown> = Promise.resolve()

  async function ask(tenant: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
    const where = [{ field: 'eventId', in: ids }]
    const { documents: found } = await documents.find(publicEvents, tenant, { where, size: 2 * mostTogether })
    return new Set(found.map(({ eventId }) => eventId))
  }

  function questionOf(tenant: string): Question {
    const open = waiting.get(tenant)
    if (open !== undefined && open.ids.length < mostTogether) return open
    const ids: string[] = []
    const answer = last.then(() => {
      if (waiting.get(tenant) === question) waiting.delete(tenant)
      return ask(tenant, ids)
    })
    const question = { ids, answer }
    last = answer.catch(() => undefined)
    waiting.set(tenant, question)
    return question
  }

  return async (tenant, eventId) => {
    const { ids, answer } = questionOf(tenant)
    ids.push(eventId)
    return (await answer).has(eventId)
  }
}
