import { isWithinSpan, traced } from '@assay/service-kit'
import type { Around } from './around.ts'

/** Both, the first outside. */
export function bothAround(outer: Around, inner: Around): Around {
  return (call, work) => outer(call, () => inner(call, work))
}

/**
 * Each call to a store as a span of the work that makes it, by the semantic conventions of databases. Calls outside of any
 * trace, such as sweeps, and those that wait for news, make none.
 */
export function tracing(system: string): Around {
  return (call, work) => {
    if (call.operation === 'subscribe' || !isWithinSpan()) return work()
    const { operation, of } = call
    return traced(
      `${operation} ${of ?? system}`,
      {
        kind: 'client',
        attributes: () => ({
          'db.system.name': system,
          'db.operation.name': operation,
          ...(of === undefined ? {} : { 'db.collection.name': of }),
        }),
      },
      work,
    )
  }
}
