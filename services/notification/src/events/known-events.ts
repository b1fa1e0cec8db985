import type { Documents } from '@assay/documents'
import { publicEvents } from './collection.ts'

/** Of these each may be kept twice for a moment; a find gives at most 1,000. */
const mostTogether = 500

interface Question {
  ids: string[]
  answer: Promise<ReadonlySet<string>>
}

/**
 * Tells whether an event is kept. Of the events that are handled at the same time those that come while an answer is under
 * way are asked for together: every event is asked for before it is kept, so a question for each would cost a store as
 * much as keeping it.
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
