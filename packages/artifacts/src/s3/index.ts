export { createS3Artifacts } from './artifacts.ts'
export type { S3Options } from './client.ts'
