export { fedDocument } from './fed-document.ts'
export { httpSuite } from './http-suite.ts'
export { schemathesisSuite } from './schemathesis-suite.ts'
export type { Pair, Target } from './target.ts'
