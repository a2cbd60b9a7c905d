import { expect, test } from 'vitest';
import { currencies, priceProblem } from '../../shared/contract/currencies.ts';
import { createRandom } from '../support/random.ts';
import { beginCheckout, expectRowsOfLedger } from '../support/sales-history.ts';
import { unitsOf } from '../support/sales-model.ts';
import { startConnectedSite } from '../support/selling-site.ts';

const isLong = process.env.FAULTS === 'long';
const amountsOfCurrency = isLong ? 20 : 1;

/** Whole amounts, which Stripe takes with two decimals. */
const whole = new Set(['ISK', 'UGX']);

/** Currencies that Stripe charges (https://docs.stripe.com/currencies). */
const charged =
  'AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BWP BYN BZD CAD CDF CHF CLP CNY COP CRC CVE ' +
  'CZK DJF DKK DOP DZD EGP ETB EUR FJD FKP GBP GEL GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR ISK JMD JOD JPY KES KGS KHR KMF ' +
  'KRW KWD KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK ' +
  'PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SEK SGD SHP SLE SOS SRD STD SZL THB TJS TND TOP TRY TTD TWD TZS UAH UGX USD UYU ' +
  'UZS VND VUV WST XAF XCD XOF XPF YER ZAR ZMW';

test(`what a page shows is what Stripe charges and what is stored: ${amountsOfCurrency} in each of ${isLong ? 'all' : '30'} currencies`, {
  timeout: 1_800_000,
}, async () => {
  const random = createRandom(3);
  await using site = await startConnectedSite({ livemode: true, config: { countsTest: false } });
  const { stripe, studio, clock } = site;
  const shown: [currency: string, amount: number, shown: number, charged: number][] = [];
  const sold = charged.split(' ').filter((code) => currencies.has(code));
  // The short form takes the currencies with rules of their own, and a few others.
  const isTaken = (code: string, at: number) =>
    isLong || unitsOf(code) !== 100 || whole.has(code) || at % 16 === 0;
  for (const currency of sold.filter(isTaken)) {
    const decimals = unitsOf(currency) === 1 || whole.has(currency) ? 1 : 100;
    const draw = () => {
      const amount = Math.ceil(random() ** 4 * 999_999 * decimals) / decimals;
      return priceProblem(amount, currency) === null ? amount : 200;
    };
    const { id } = await site.sellPost({ currency, amount: draw() });
    for (let at = 0; at < amountsOfCurrency; at++) {
      const amount = draw();
      await studio.offers.update.mutate({ id, amount });
      const page = await site.visit(`/buy/${id}`);
      const [, price = ''] = /class="lead price">([^<]*)</.exec(page.text) ?? [];
      const session = await beginCheckout(site, id, `${currency}${at}@example.com`.toLowerCase());
      await stripe.pay(session);
      const { amount_total } = site.ledger().sessions.find((one) => one.id === session) ?? {};
      const number = Number(/\d[\d,]*(\.\d+)?/.exec(price)?.[0].replaceAll(',', ''));
      shown.push([currency, amount, number, Number(amount_total) / unitsOf(currency)]);
    }
    await studio.offers.update.mutate({ id, active: false });
    // A pass ends the checkouts, of which a site has at most 1,000. Later ones list none of these events again.
    clock.advance({ minutes: 11 });
    await site.passNow();
  }
  expect(shown.filter(([, amount, ...others]) => others.some((other) => other !== amount))).toEqual([]);
  await expectRowsOfLedger(site);
  const stored = await site.deps.database.em
    .fork()
    .execute<{ currency: string; amount: number }[]>('select currency, amount::float from purchases');
  const sorted = (all: (string | number)[][]) => all.map((one) => one.join(' ')).toSorted();
  expect(sorted(stored.map(({ currency, amount }) => [currency, amount]))).toEqual(
    sorted(shown.map(([currency, amount]) => [currency, amount])),
  );
});
