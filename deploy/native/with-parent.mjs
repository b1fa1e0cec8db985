/**
 * For `node --import`: a process whose standard input is a pipe from its parent stops, as by SIGTERM, when that pipe ends,
 * which also comes when the parent is killed.
 */
import { isMainThread } from 'node:worker_threads'

if (isMainThread) {
  const stop = () => process.kill(process.pid, 'SIGTERM')
  process.stdin.once('end', stop).once('error', stop).resume()
  process.stdin.unref()
}
