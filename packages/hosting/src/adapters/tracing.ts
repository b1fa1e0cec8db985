import { isWithinSpan, traced } from '@assay/service-kit'
import type { Around } from './around.ts'

/** Composes two wrappers; the first one is the outer one. */
export function bothAround(outer: Around, inner: Around): Around {
  return (call, work) => outer(call, () => inner(call, work))
}

/**
 * A span for each call to a store, by the semantic conventions for databases. Calls outside of a trace, such as sweeps,
 * get no span, and neither do calls that wait for new events.
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
