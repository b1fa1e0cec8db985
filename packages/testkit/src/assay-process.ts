import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const main = fileURLToPath(new URL('../../../services/standalone/src/main.ts', import.meta.url))
/** Ends the child when this process ends, however it ends. */
const withParent = new URL('../../../deploy/native/with-parent.mjs', import.meta.url).href
const accessKey = 'assay-test-access-key'
const secretKey = 'assay-test-secret-key'

export interface HttpAnswer {
  status: number
  text: string
  headers: Headers
  /** The parsed body. Throws if the body is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of many shapes; what they assert is the check.
  json: any
}

/** A complete Assay in a separate process, used only over HTTP. */
export interface AssayProcess {
  url: string
  pid: number
  output(): string
  /** Resolves when the output contains `text`; rejects after a minute. */
  waitForOutput(text: string): Promise<void>
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<HttpAnswer>
  /** Repeats a GET until `isDone`; rejects after `timeoutMs` with the last answer. */
  until(
    path: string,
    isDone: (answer: HttpAnswer) => boolean,
    timeoutMs?: number,
    everyMs?: number,
  ): Promise<HttpAnswer>
  /** Ends the process with a signal and returns its exit code (null if the signal killed it). */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

function exited(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode)
  return new Promise((resolve) => child.once('exit', (code) => resolve(code)))
}

/** Starts the embedded form on a free port with its data in `dataDir`; resolves when it reports readiness. */
export async function startAssay(
  dataDir: string,
  options: { args?: string[]; env?: Record<string, string> } = {},
): Promise<AssayProcess> {
  const child = spawn(process.execPath, ['--import', withParent, main, ...(options.args ?? [])], {
    env: {
      PATH: process.env.PATH ?? '',
      HOME: process.env.HOME ?? '',
      // Shared with `npm test`, so that no start in a test strips the types again.
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
      PORT: '0',
      ASSAY_DATA_DIR: dataDir,
      ASSAY_ADMIN_ACCESS_KEY: accessKey,
      ASSAY_ADMIN_SECRET_KEY: secretKey,
      ASSAY_SAMPLES: 'off',
      ASSAY_RATE_LIMIT: '0',
      ...options.env,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let output = ''
  const url = await new Promise<string>((resolve, reject) => {
    const collect = (chunk: Buffer) => {
      output += chunk.toString()
      const match = /http:\/\/[\d.]+:\d+/.exec(output)
      if (match) resolve(match[0])
    }
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
    child.once('exit', (code) => reject(new Error(`Assay ended with ${code} before it was ready:\n${output}`)))
  })
  const call: AssayProcess['call'] = async (method, path, body, headers = {}) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { accessKey, secretKey, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    return {
      status: response.status,
      text,
      headers: response.headers,
      get json() {
        return JSON.parse(text)
      },
    }
  }
  return {
    url,
    pid: child.pid ?? 0,
    output: () => output,
    async waitForOutput(text) {
      const end = performance.now() + 60_000
      while (!output.includes(text)) {
        if (performance.now() > end) throw new Error(`The output does not contain '${text}':\n${output}`)
        await new Promise((resolve) => setTimeout(resolve, 25))
      }
    },
    call,
    async until(path, isDone, timeoutMs = 60_000, everyMs = 25) {
      const end = performance.now() + timeoutMs
      for (;;) {
        const answer = await call('GET', path)
        if (isDone(answer)) return answer
        if (performance.now() > end)
          throw new Error(`Not done after ${timeoutMs} ms: GET ${path} -> ${answer.status} ${answer.text}`)
        await new Promise((resolve) => setTimeout(resolve, everyMs))
      }
    },
    async stop(signal = 'SIGTERM') {
      child.kill(signal)
      return exited(child)
    },
  }
}
