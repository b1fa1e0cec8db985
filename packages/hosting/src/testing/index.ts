export { openStores, silent, type TestStores } from './stores.ts'
