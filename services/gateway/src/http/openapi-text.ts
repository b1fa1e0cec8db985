import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { AssayError } from '@assay/service-kit/errors'

async function made(version: string): Promise<string> {
  const worker = new Worker(new URL('./openapi-worker.ts', import.meta.url), { workerData: version })
  worker.unref()
  try {
    const [text] = await once(worker, 'message')
    return String(text)
  } catch (cause) {
    throw new AssayError('unavailable', 'The OpenAPI document was not made. Try again in a moment.', { cause })
  } finally {
    await worker.terminate()
  }
}

/**
 * The text of the OpenAPI document, made when it is asked for first, and kept. Making it takes some 0.2 s, which would hold
 * up a start, or all requests, so a thread of its own does it. Rejects with `unavailable` where that fails; the next call tries again.
 */
export function openApiText(version: string): () => Promise<string> {
  let text: Promise<string> | undefined
  return () => {
    text ??= made(version).catch((error: unknown) => {
      text = undefined
      throw error
    })
    return text
  }
}
