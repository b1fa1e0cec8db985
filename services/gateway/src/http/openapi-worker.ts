import { parentPort, workerData } from 'node:worker_threads'
import { openApiDocument } from '@assay/contracts'

/** The other half of `openapi-text.ts`: makes the document of one version, answers its text and ends. */
parentPort?.postMessage(JSON.stringify(openApiDocument(String(workerData))))
