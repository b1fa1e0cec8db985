export { type AssayProcess, type HttpAnswer, startAssay } from './assay-process.ts'
export { check } from './checker/check.ts'
export type {
  AuditedWrite,
  AuditLineSeen,
  Effect,
  ExpectedKeptEvent,
  ExpectedMessage,
  Facts,
  Fields,
  Finding,
  KeptEventSeen,
  KeyUseSeen,
  KnownKey,
  LoggedEvent,
  Run,
  TopicMessage,
  Write,
  WriteOutcome,
} from './checker/facts.ts'
export { type NastyFile, nastyCsvFiles, writeNastyCsv } from './datasets/nasty-csv.ts'
export { type NastyJson, nastyJsonFiles, writeNastyJson } from './datasets/nasty-json.ts'
export { type OrdersFacts, writeOrders } from './datasets/orders.ts'
export type { Fault } from './proxy/fault.ts'
export { openProxy, type TcpProxy } from './proxy/tcp-proxy.ts'
export { removeData } from './remove-data.ts'
