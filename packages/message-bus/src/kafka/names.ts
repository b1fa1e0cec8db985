import { AssayError } from '@assay/service-kit/errors'

/** The names on the cluster, for the shorter names of the port. */
export interface Names {
  topic(topic: string): string
  group(group: string): string
}

const allowed = /^[\w.-]{1,249}$/

/** `prefix` precedes every name, so that several installations can share a cluster. */
export function createNames(prefix: string): Names {
  function checked(name: string): string {
    if (allowed.test(name)) return name
    throw new AssayError(
      'invalid',
      `"${name}" cannot be a topic or group: use letters, digits, ".", "_" and "-", at most 249.`,
    )
  }
  return {
    topic: (topic) => checked(`${prefix}${topic}`),
    group: (group) => checked(`${prefix}${group}`),
  }
}
