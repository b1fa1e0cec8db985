/**
 * A server that another process started and that an environment variable names. It can be used, but not killed or
 * paused, so fault tests start their own.
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
