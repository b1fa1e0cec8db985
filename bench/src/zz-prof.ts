import { DatabaseSync } from 'node:sqlite'
import { existsSync } from 'node:fs'
import { documentPut } from '@assay/documents'
import { createSqliteDocuments, preparing, runSearch } from '@assay/documents/sqlite'
import { openDatabase } from '@assay/sqlite'
import { benchAssets, benchAssetsOf, searchMix } from './search-data.ts'
for (const size of process.argv.slice(2).map(Number)) {
const path=`/tmp/w2s/${size}.db`
if(!existsSync(path)){const db=openDatabase({path,synchronous:'NORMAL'});const d=createSqliteDocuments({database:db,collections:[benchAssets]});let b:any[]=[];for(const a of benchAssetsOf(size)){b.push(documentPut(benchAssets,'t',a.id,a,{revision:1,position:'1'}));if(b.length===1000){await d.put(b);b=[]}}await d.put(b);await d.close();await db.close()}
const bare=new DatabaseSync(path,{readOnly:true});bare.exec('PRAGMA cache_size = -16000; PRAGMA temp_store = MEMORY; PRAGMA mmap_size = 1073741824')
const base=preparing(bare);const stats=new Map<string,number>()
const prep=(sql:string)=>{const st=base(sql);return {all:(...v:any[])=>{const t=performance.now();const r=st.all(...v);stats.set(sql.replace(/\s+/g,' ').slice(0,130),(stats.get(sql.replace(/\s+/g,' ').slice(0,130))??0)+performance.now()-t);return r}} as any}
const c=(f:string)=>`"f_${f}"`
const req=(text:string)=>({table:'doc_bench_assets',search:{prefix:'s_doc_bench_assets',nameIndex:0,pathColumn:c('uid'),parentColumn:c('parentId'),scoreColumn:undefined},tenant:'t',text,where:{text:'removed = 0 AND "f_isDeleted" IS ?',values:[0]},order:undefined,page:0,size:25,boosts:new Map(),facets:['assetTypeId','sourceTypeId','assemblyId'].map(field=>({field,column:c(field),isBoolean:false}))})
const mix=searchMix(200)
for(const t of mix)await runSearch(prep,req(t) as any)
stats.clear();const kinds:number[][]=Array.from({length:12},()=>[]);const all:number[]=[]
for(const [i,t] of mix.entries()){const b=performance.now();await runSearch(prep,req(t) as any);const d=performance.now()-b;kinds[i%12]!.push(d);all.push(d)}
const med=(a:number[])=>[...a].sort((x,y)=>x-y)[Math.floor(a.length/2)]!
console.log(size,'p50',med(all).toFixed(2),'p99',[...all].sort((a,b)=>a-b)[197]!.toFixed(1),'names',base('SELECT count(*) FROM s_doc_bench_assets_name').all()[0])
kinds.forEach((k,i)=>console.log('  kind',i,mix[i],med(k).toFixed(2),Math.max(...k).toFixed(1)))
const tot=all.reduce((a,b)=>a+b);console.log('total',tot.toFixed(0));for(const [k,v] of [...stats].sort((a,b)=>b[1]-a[1]).slice(0,12))console.log('  ',v.toFixed(0),k)
bare.close()}
