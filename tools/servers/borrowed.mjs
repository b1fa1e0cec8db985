/**
 * A server that somebody else started and named in an environment variable. It can be used, but not killed, stopped or
 * paused: tests of faults need one of their own.
 */
export function borrowed(variable) {
  const refuse = () => {
    throw new Error(`${variable} names a server of somebody else's, which is not to be killed or paused.`)
  }
  return {
    pid: () => undefined,
    stop: async () => undefined,
    kill: refuse,
    restart: refuse,
    pause: refuse,
    resume: refuse,
  }
}
