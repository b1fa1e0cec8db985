import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { AssayError } from '@assay/service-kit/errors'

async function generated(version: string): Promise<string> {
  const worker = new Worker(new URL('./openapi-worker.ts', import.meta.url), { workerData: version })
  worker.unref()
  try {
    const [text] = await once(worker, 'message')
    return String(text)
  } catch (cause) {
    throw new AssayError('unavailable', 'The OpenAPI document could not be generated. Try again in a moment.', {
      cause,
    })
  } finally {
    await worker.terminate()
  }
}

/**
 * The text of the OpenAPI document, generated on first use in a worker thread and cached: generating takes about 0.2 s,
 * which would delay a start or all requests. Rejects with `unavailable` on failure; the next call tries again.
 */
export function openApiText(version: string): () => Promise<string> {
  let text: Promise<string> | undefined
  return () => {
    text ??= generated(version).catch((error: unknown) => {
      text = undefined
      throw error
    })
    return text
  }
}
