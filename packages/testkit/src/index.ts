export { type AssayProcess, type HttpAnswer, startAssay } from './assay-process.ts'
export { type NastyFile, nastyCsvFiles, writeNastyCsv } from './datasets/nasty-csv.ts'
export { type NastyJson, nastyJsonFiles, writeNastyJson } from './datasets/nasty-json.ts'
export { type OrdersFacts, writeOrders } from './datasets/orders.ts'
