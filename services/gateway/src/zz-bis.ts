import v8 from 'node:v8'
import { spawn } from 'node:child_process'
import { createHttpApp, createLogger, createMetrics, createServing, listen, route } from '@assay/service-kit'
import { uuidV7, systemClock } from '@assay/service-kit/node'
import { operations } from '@assay/contracts'
import { createAdmission } from './http/admission.ts'
import { createAnsweredPositions } from './http/answered-positions.ts'
const mode = process.argv[2]
const getAsset = operations.find((o) => o.id === 'getAsset')!
const identity = { tenant: 't', user: 'u', accessKey: 'k', permissions: new Set(getAsset.permissions) }
const positions = createAnsweredPositions(systemClock)
const metrics = createMetrics()
const admission = createAdmission({ authenticate: () => identity, positions, rateLimit: 1e6, failureLimit: 20, metrics, clock: systemClock })
const body = JSON.stringify({ a: 'x'.repeat(1100) })
const serving = createServing({ service: 'catalog', operations: [getAsset], routes: [route(getAsset, async () => ({ text: body, ...(mode === 'pos' ? { position: '00012' } : {}) }))] })
const seen = new Map()
const dispatch = (target: any, q: any, a: any): any => {
  if (mode === 'plain') return (async () => { await null; a.setHeader('content-type', 'application/json'); a.end(body) })()
  if (mode === 'admit') { admission.admit(getAsset, q, a); return (async () => { await null; a.setHeader('content-type', 'application/json'); a.end(body) })() }
  if (mode === 'serve') return serving.get('getAsset')!({ identity, seen, params: { id: '1' }, query: '' }, q, a)
  if (mode === 'params') return (async () => { getAsset.params.safeParse({ id: '1' }); await null; a.setHeader('content-type', 'application/json'); a.end(body) })()
  if (mode === 'query') return (async () => { getAsset.query.safeParse({}); await null; a.setHeader('content-type', 'application/json'); a.end(body) })()
  if (mode === 'getter') return (async () => { let signal: any; const call = { q, a, get signal() { signal ??= { a }; return signal } }; await (async () => call.q)(); a.setHeader('content-type', 'application/json'); a.end(body) })()
}
const app = createHttpApp({ logger: createLogger({ level: 'warn' }), newId: uuidV7, metrics, dispatch })
const l = await listen(app, { host: '127.0.0.1', port: 0 })
v8.setFlagsFromString('--trace-gc')
const c = spawn(process.execPath, ['-e', `const {Agent,request}=require('node:http');const agent=new Agent({keepAlive:true,maxSockets:16});let left=12000;const get=()=>new Promise(r=>request('http://127.0.0.1:${l.port}/',{agent},a=>{a.resume();a.once('end',r)}).end());Promise.all(Array.from({length:16},async()=>{while(left-->0)await get()})).then(()=>process.exit())`])
c.on('exit', () => process.exit())
