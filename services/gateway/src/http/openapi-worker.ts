import { parentPort, workerData } from 'node:worker_threads'
import { openApiDocument } from '@assay/contracts'

/** Worker of `openapi-text.ts`: generates the document of one version, posts its text and ends. */
parentPort?.postMessage(JSON.stringify(openApiDocument(String(workerData))))
