/**
 * A server that somebody else started and named in an environment variable. It can be used, but not killed, stopped or
 * paused: fault tests need one of their own.
 */
export function borrowed(variable) {
  const refuse = () => {
    throw new Error(`${variable} names a server that this process did not start, so it must not be killed or paused.`)
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
