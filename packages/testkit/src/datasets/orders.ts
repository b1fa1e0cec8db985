import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The numbers of defects in the orders that `writeOrders` writes. They are counted while writing. */
export interface OrdersFacts {
  /** `orders.csv`: order_id, customer_id, email, amount, currency, status, ordered_at, note. */
  file: string
  customersFile: string
  rows: number
  customers: number
  /** Rows without an e-mail, NULL. */
  missingEmail: number
  /** Rows whose e-mail is empty text. */
  emptyEmail: number
  /** Rows whose e-mail has no `@`. */
  malformedEmail: number
  /** Rows with an amount below zero. */
  negativeAmount: number
  /** Rows whose currency is not EUR, USD or GBP. */
  unknownCurrency: number
  /** Rows whose status is not one of new, paid, shipped, returned. */
  unknownStatus: number
  /** Rows whose customer_id is missing in the customers. */
  orphans: number
  /** Rows that share their order_id with another row. */
  duplicatedOrderIdRows: number
  /** Different order ids. */
  distinctOrderIds: number
  /** Sum of all amounts, in cents. */
  amountCents: number
  /** Newest ordered_at, ISO 8601 UTC. */
  newest: string
}

const statuses = ['new', 'paid', 'shipped', 'returned'] as const
const currencies = ['EUR', 'USD', 'GBP'] as const

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`
}

function cents(amount: number): string {
  const whole = Math.trunc(Math.abs(amount) / 100)
  return `${amount < 0 ? '-' : ''}${whole}.${String(Math.abs(amount) % 100).padStart(2, '0')}`
}

/**
 * Writes `orders.csv` and `customers.csv` to a folder. Each defect is in every nth row, so every count can be verified
 * by hand: every 50th row, for example, has no e-mail.
 */
export async function writeOrders(folder: string, rows = 1000): Promise<OrdersFacts> {
  await mkdir(folder, { recursive: true })
  const customers = 100
  const facts: OrdersFacts = {
    file: join(folder, 'orders.csv'),
    customersFile: join(folder, 'customers.csv'),
    rows,
    customers,
    missingEmail: 0,
    emptyEmail: 0,
    malformedEmail: 0,
    negativeAmount: 0,
    unknownCurrency: 0,
    unknownStatus: 0,
    orphans: 0,
    duplicatedOrderIdRows: 0,
    distinctOrderIds: 0,
    amountCents: 0,
    newest: '',
  }
  const perId = new Map<number, number>()
  const start = Date.UTC(2026, 0, 1)
  const lines = ['order_id,customer_id,email,amount,currency,status,ordered_at,note']
  for (let i = 0; i < rows; i += 1) {
    // Every 100th row except the first repeats the id of the row before.
    const id = i > 0 && i % 100 === 0 ? 10_000 + i - 1 : 10_000 + i
    perId.set(id, (perId.get(id) ?? 0) + 1)
    const customer = i % 40 === 7 ? 9_000 + (i % 13) : 1 + (i % customers)
    if (customer > customers) facts.orphans += 1
    let email = `c${customer}@example.com`
    if (i % 50 === 3) {
      email = ''
      facts.missingEmail += 1
    } else if (i % 50 === 4) {
      email = '""'
      facts.emptyEmail += 1
    } else if (i % 50 === 5) {
      email = `c${customer}.example.com`
      facts.malformedEmail += 1
    }
    const amount = i % 25 === 11 ? -(100 + i) : 500 + ((i * 37) % 10_000)
    if (amount < 0) facts.negativeAmount += 1
    facts.amountCents += amount
    const currency = i % 200 === 17 ? 'XXX' : (currencies[i % 3] ?? 'EUR')
    if (currency === 'XXX') facts.unknownCurrency += 1
    const status = i % 250 === 19 ? 'lost' : (statuses[i % 4] ?? 'new')
    if (status === 'lost') facts.unknownStatus += 1
    const at = new Date(start + i * 60_000).toISOString()
    if (at > facts.newest) facts.newest = at
    const note = i % 20 === 0 ? quoted(`row ${i}, "special"\nhandle with care`) : ''
    const time = at.replace('T', ' ').slice(0, 19)
    lines.push([id, customer, email, cents(amount), currency, status, time, note].join(','))
  }
  for (const count of perId.values()) if (count > 1) facts.duplicatedOrderIdRows += count
  facts.distinctOrderIds = perId.size
  await writeFile(facts.file, `${lines.join('\n')}\n`)
  const people = Array.from({ length: customers }, (_, i) => `${i + 1},Customer ${i + 1},${i % 2 === 0 ? 'DE' : 'FR'}`)
  await writeFile(facts.customersFile, `customer_id,name,country\n${people.join('\n')}\n`)
  return facts
}
