export { recordExamples } from './record.ts'
