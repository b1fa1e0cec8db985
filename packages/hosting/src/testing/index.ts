export { eventually } from './eventually.ts'
export { openStores, silent, type TestStores } from './stores.ts'
