export { callRoute, type RouteAnswer, type RouteRequest } from './call-route.ts'
export { eventually } from './eventually.ts'
export { openStores, silent, type TestStores } from './stores.ts'
export { tableMessageOf } from './table-message.ts'
