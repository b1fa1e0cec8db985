export { cronProblem, isTimeZone, nextRuns } from './cron.ts'
export { type Permission, permission, permissions } from './permissions.ts'
export { booleanText, id, idListText, idText, isoTime, listText, optional, timeInput } from './scalars.ts'
