import { beforeEach, describe, expect, test } from 'vitest'
import type { Documents, SearchQuery } from '../port.ts'
import { type Entry, entries, entryPut } from './collections.ts'

/** Searches: the text, the names in the store in order of insertion, and the expected result in order. */
const golden: readonly { about: string; asked: string; names: readonly string[]; found: readonly string[] }[] = [
  {
    about: 'exact, prefix, word prefix, substring, typo',
    asked: 'orders',
    names: ['odrers', 'reorders', 'customer_orders', 'orders_2024', 'orders', 'payments'],
    found: ['orders', 'orders_2024', 'customer_orders', 'reorders', 'odrers'],
  },
  {
    about: 'case is ignored',
    asked: 'ORDERS',
    names: ['orders_old', 'Orders'],
    found: ['Orders', 'orders_old'],
  },
  {
    about: 'snake_case, camelCase, dots and spaces are the same words',
    asked: 'customer id',
    names: ['customerId', 'customer_id', 'customer.id', 'CustomerID', 'the_customer_id', 'customer_name'],
    found: ['customer.id', 'customer_id', 'customerId', 'CustomerID', 'the_customer_id'],
  },
  {
    about: 'an exact camelCase name comes before the same name in snake_case',
    asked: 'customerId',
    names: ['customer_id', 'customerId', 'customerIdentity'],
    found: ['customerId', 'customer_id', 'customerIdentity'],
  },
  {
    about: 'the beginning of a word in camelCase',
    asked: 'amount',
    names: ['totalAmount', 'amountTotal', 'paramount'],
    found: ['amountTotal', 'totalAmount', 'paramount'],
  },
  {
    about: 'words with capitals',
    asked: 'server',
    names: ['HTTPServer', 'observer'],
    found: ['HTTPServer', 'observer'],
  },
  {
    about: 'words with digits',
    asked: '2024',
    names: ['sales2024', 'sales_2024_q1', 'x12024'],
    found: ['sales2024', 'sales_2024_q1', 'x12024'],
  },
  { about: 'part of a word', asked: 'stom', names: ['customer', 'custard'], found: ['customer'] },
  {
    about: 'two characters in the middle',
    asked: 'us',
    names: ['customer', 'usage', 'plan'],
    found: ['usage', 'customer'],
  },
  { about: 'one character', asked: 'z', names: ['zip', 'size', 'plan', 'a_z'], found: ['zip', 'a_z', 'size'] },
  { about: 'a character too many', asked: 'custommer', names: ['customer', 'costume'], found: ['customer'] },
  { about: 'a character missing', asked: 'custmer', names: ['customer', 'costume'], found: ['customer'] },
  { about: 'another character', asked: 'custamer', names: ['customer', 'costume'], found: ['customer'] },
  { about: 'two characters swapped', asked: 'cutsomer', names: ['customer_id', 'costume'], found: ['customer_id'] },
  {
    about: 'a typo in one of two words',
    asked: 'custmer id',
    names: ['customer_id', 'customer'],
    found: ['customer_id'],
  },
  { about: 'short words have no typos', asked: 'cat', names: ['car', 'category'], found: ['category'] },
  {
    about: 'German',
    asked: 'straße',
    names: ['hauptstraße', 'straßen_name', 'strasse', 'rasse'],
    found: ['strasse', 'straßen_name', 'hauptstraße'],
  },
  {
    about: 'German in capitals',
    asked: 'STRASSE',
    names: ['Straße', 'HAUPTSTRASSE'],
    found: ['Straße', 'HAUPTSTRASSE'],
  },
  { about: 'German with ß and ö', asked: 'GRÖSSE', names: ['groß', 'Größe'], found: ['Größe', 'groß'] },
  { about: 'German without umlauts', asked: 'grosse', names: ['Größe', 'Preis'], found: ['Größe'] },
  {
    about: 'Greek',
    asked: 'πελάτης',
    names: ['όνομα_πελάτης', 'ΠΕΛΆΤΗΣ', 'πόλη'],
    found: ['ΠΕΛΆΤΗΣ', 'όνομα_πελάτης'],
  },
  { about: 'Cyrillic, part', asked: 'каз', names: ['заказы', 'казна'], found: ['казна', 'заказы'] },
  {
    about: 'Chinese, two characters',
    asked: '订单',
    names: ['客户订单表', '订单', '客户'],
    found: ['订单', '客户订单表'],
  },
  { about: 'Japanese', asked: '注文', names: ['注文_明細', '前注文'], found: ['注文_明細', '前注文'] },
  { about: 'Arabic', asked: 'طلب', names: ['رقم_طلب', 'طلبات'], found: ['طلبات', 'رقم_طلب'] },
  {
    about: 'composed and decomposed are the same',
    asked: 'cafe\u0301',
    names: ['caf\u00e9_id'],
    found: ['caf\u00e9_id'],
  },
  {
    about: 'accents left out',
    asked: 'unicode',
    names: ['not_unicode', 'Ünïcode', 'unicode_2'],
    found: ['Ünïcode', 'unicode_2', 'not_unicode'],
  },
  {
    about: 'the searched spelling first, without accents',
    asked: 'cafe',
    names: ['Café', 'cafés', 'CAFE', 'Cafe\u0301_id'],
    found: ['CAFE', 'Café', 'Cafe\u0301_id', 'cafés'],
  },
  {
    about: 'the searched spelling first, with accents',
    asked: 'CAFÉ',
    names: ['cafe', 'Café', 'cafe_id'],
    found: ['Café', 'cafe', 'cafe_id'],
  },
  { about: 'one letter, with an accent', asked: 'é', names: ['e', 'été', 'É', 'plan'], found: ['É', 'e', 'été'] },
  { about: 'other accents than those of the name', asked: 'naive', names: ['naïve_bayes'], found: ['naïve_bayes'] },
  {
    about: 'a Cyrillic letter that differs from another by a mark',
    asked: 'мои',
    names: ['мой', 'МОИ_данные'],
    found: ['МОИ_данные'],
  },
  { about: 'the same two letters, exchanged', asked: 'мой', names: ['мои', 'Мой_отчёт'], found: ['Мой_отчёт'] },
  { about: 'part of a word with such a letter', asked: 'йне', names: ['контейнер', 'контеинер'], found: ['контейнер'] },
  { about: 'ё written as е', asked: 'счет', names: ['счётчик', 'СЧЁТ'], found: ['СЧЁТ', 'счётчик'] },
  { about: 'a Korean syllable, not its beginning', asked: '하', names: ['한글', '하루'], found: ['하루'] },
  { about: 'kana, not those with dakuten', asked: 'かき', names: ['がき', 'かき'], found: ['かき'] },
  { about: 'an Indian word with vowel signs', asked: 'किताब', names: ['किताब', 'कताब'], found: ['किताब', 'कताब'] },
  { about: 'only punctuation', asked: '%', names: ['100%', '%', 'rate'], found: ['%'] },
  { about: 'a quote', asked: 'o"r', names: ['o"r', 'orders'], found: ['o"r', 'orders'] },
  { about: 'an operator', asked: 'a OR b', names: ['a_or_b', 'a', 'b'], found: ['a_or_b'] },
  {
    about: 'short words in another order',
    asked: 'tax_id',
    names: ['id_tax', 'tax_no', 'TaxId', 'vat_id'],
    found: ['TaxId', 'id_tax'],
  },
  {
    about: 'a number and a word with a typo',
    asked: 'ordrs 20240131',
    names: ['20240131_orders', 'orders_20240130'],
    found: ['20240131_orders'],
  },
  {
    about: 'names that match equally well: by name',
    asked: 'ab',
    names: ['abz', 'aba', 'abm'],
    found: ['aba', 'abm', 'abz'],
  },
]

/** The search of a store. */
export function searchFeatures(open: () => Documents): void {
  describe('search', () => {
    let documents: Documents
    beforeEach(() => {
      documents = open()
    })
    const search = (query: Partial<SearchQuery>, tenant = 't') =>
      documents.search<Entry>(entries, tenant, { size: 100, ...query })
    const named = async (query: Partial<SearchQuery>, tenant?: string) =>
      (await search(query, tenant)).documents.map(({ name }) => name)
    const put = (names: readonly string[], some: Partial<Entry> = {}, tenant = 't', first = 1) =>
      documents.put(names.map((name, index) => entryPut(tenant, first + index, name, some)))

    test.each(golden)(
      'given $about, when $asked is searched, then the best come first',
      async ({ asked, names, found }) => {
        await put(names)
        expect(await named({ text: asked })).toEqual(found)
      },
    )

    test('given scores, when searched, then they decide only within a rank, and ids decide last', async () => {
      await documents.put([
        entryPut('t', 1, 'orders_a'),
        entryPut('t', 2, 'orders_b', { score: 5 }),
        entryPut('t', 3, 'my_orders', { score: 90 }),
        entryPut('t', 4, 'orders_c', { score: -1 }),
        entryPut('t', 6, 'orders'),
        entryPut('t', 5, 'orders'),
      ])
      const { documents: found } = await search({ text: 'orders' })
      expect(found.map(({ name }) => name)).toEqual([
        'orders',
        'orders',
        'orders_b',
        'orders_a',
        'orders_c',
        'my_orders',
      ])
    })

    test('given boosts, when searched, then they are added to the scores of matches', async () => {
      await put(['orders_a', 'orders_b', 'plan'])
      expect(
        await named({
          text: 'orders',
          boosts: new Map([
            [2, 3],
            [3, 9],
          ]),
        }),
      ).toEqual(['orders_b', 'orders_a'])
    })

    test('given paths, when a dotted text is searched, then children of exactly named parents are found', async () => {
      const place = (id: number, name: string, path: string, parentId: number | null) =>
        entryPut('t', id, name, { path, parentId })
      await documents.put([
        place(1, 'sales', 'sales', null),
        place(2, 'orders', 'sales.orders', 1),
        place(3, 'amount', 'sales.orders.amount', 2),
        place(4, 'amount_net', 'sales.orders.amount_net', 2),
        place(5, 'refunds', 'sales.refunds', 1),
        place(6, 'amount', 'sales.refunds.amount', 5),
        place(7, 'orders.csv', 'sales.orders.csv', 1),
        place(8, 'amount', 'sales.orders.csv.amount', 7),
      ])
      const paths = async (text: string) => (await search({ text })).documents.map(({ path }) => path)
      expect(await paths('sales.orders.amount')).toEqual(['sales.orders.amount', 'sales.orders.amount_net'])
      expect(await paths('orders.amo')).toEqual(['sales.orders.amount', 'sales.orders.amount_net'])
      expect(await paths('Orders.CSV')).toEqual(['sales.orders.csv'])
      expect(await paths('orders.csv.amount')).toEqual(['sales.orders.csv.amount'])
      expect(await paths('refunds.amount')).toEqual(['sales.refunds.amount'])
    })

    test('given filters, when searched, then count, facets and pages cover the matches of the filters', async () => {
      await put(['orders', 'orders_b', 'orders_c'], { kind: 1 })
      await put(['orders_d', 'my_orders'], { kind: 2 }, 't', 10)
      await put(['orders_gone'], { isGone: true }, 't', 20)
      const where = [{ field: 'isGone', is: false }]
      const all = await search({ text: 'orders', where, size: 2, page: 1, facets: ['kind', 'isGone'] })
      expect(all).toMatchObject({ count: 5, isCountCapped: false, isFacetCapped: false })
      expect(all.documents.map(({ name }) => name)).toEqual(['orders_c', 'orders_d'])
      expect(all.facets).toEqual({
        kind: [
          { value: 1, count: 3 },
          { value: 2, count: 2 },
        ],
        isGone: [{ value: false, count: 5 }],
      })
      expect(await search({ text: 'orders', where: [{ field: 'kind', is: 2 }], size: 0 })).toMatchObject({
        count: 2,
        documents: [],
      })
      expect(await search({ where, size: 2, facets: ['kind'] })).toMatchObject({
        count: 5,
        facets: all.facets.kind ? { kind: all.facets.kind } : {},
      })
      expect(await named({ text: 'orders', where, sort: [{ field: 'id', direction: 'desc' }], size: 2 })).toEqual([
        'my_orders',
        'orders_d',
      ])
    })

    test('given more than 10,000 matches, when searched, then all are counted, and facets cover the first 10,000', async () => {
      const many = Array.from({ length: 10_500 }, (_, at) => entryPut('t', at + 1, `orders_${at % 40}`))
      for (let at = 0; at < many.length; at += 500) await documents.put(many.slice(at, at + 500))
      const found = await search({ text: 'orders', size: 1, facets: ['kind'] })
      expect(found.isFacetCapped).toBe(true)
      expect(found.facets.kind).toEqual([{ value: 1, count: 10_000 }])
      // A slow machine may not finish the count in time; then it is capped.
      expect(found.count).toBeGreaterThanOrEqual(10_000)
      if (!found.isCountCapped) expect(found.count).toBe(10_500)
    }, 300_000)

    test('given a rename and a removal, when searched, then the current documents are found', async () => {
      await put(['orders', 'invoices'])
      await documents.put([entryPut('t', 1, 'receipts', {}, 1)])
      expect(await named({ text: 'orders' })).toEqual([])
      expect(await named({ text: 'receipt' })).toEqual(['receipts'])
      await documents.put([{ ...entryPut('t', 1, 'receipts', {}, 2), document: null }])
      expect(await named({ text: 'receipt' })).toEqual([])
    })

    test('given two tenants, when one searches, then it finds only its own documents', async () => {
      await put(['orders'])
      await put(['orders_b', 'odrers'], {}, 'u')
      expect(await named({ text: 'orders' })).toEqual(['orders'])
      expect(await named({ text: 'orders' }, 'u')).toEqual(['orders_b', 'odrers'])
      expect((await search({ text: 'orders', facets: ['kind'] })).facets.kind).toEqual([{ value: 1, count: 1 }])
    })
  })
}
