/**
 * For `node --import`: stops a process, as SIGTERM does, when its standard input, a pipe from its parent, ends. That
 * also happens when the parent is killed.
 */
import { isMainThread } from 'node:worker_threads'

if (isMainThread) {
  const stop = () => process.kill(process.pid, 'SIGTERM')
  process.stdin.once('end', stop).once('error', stop).resume()
  process.stdin.unref()
}
