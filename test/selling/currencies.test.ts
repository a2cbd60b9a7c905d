import { expect, test } from 'vitest';
import {
  currencies,
  decimalsOf,
  formatAmount,
  fromMinorUnits,
  maxAmount,
  minAmounts,
  priceProblem,
  toMinorUnits,
} from '../../shared/contract/currencies.ts';

test.for([
  ['EUR', 49.5, 4_950],
  ['USD', 0.29, 29],
  ['JPY', 500, 500],
  ['KRW', 12_000, 12_000],
  ['ISK', 1_200, 120_000],
  ['UGX', 5_000, 500_000],
  ['KWD', 1.25, 1_250],
  ['GBP', maxAmount, 99_999_999],
] as const)('Stripe gets an amount in %s in its minor unit: %f is %i', ([currency, amount, units]) => {
  expect(toMinorUnits(amount, currency)).toBe(units);
  expect(fromMinorUnits(units, currency)).toBe(amount);
});

test.for([
  ['EUR', 49.505],
  ['JPY', 500.5],
  ['ISK', 1_200.5],
  ['KWD', 1.2505],
] as const)('an amount in %s with too many decimals is not sent: %f', ([currency, amount]) => {
  expect(() => toMinorUnits(amount, currency)).toThrow(RangeError);
});

test('every price that an offer can have is what is shown, sent and stored, in every currency', () => {
  const amounts = [0.29, 0.5, 1, 1.1, 2.05, 9.99, 19.9, 35.1, 64.35, 99.95, 175, 199.99, 1_000, 1_234.56];
  const digits = (text: string) => Number(/\d[\d,]*(\.\d+)?/.exec(text)?.[0].replaceAll(',', ''));
  for (const currency of currencies)
    for (const amount of amounts) {
      if (priceProblem(amount, currency) !== null) continue;
      const units = toMinorUnits(amount, currency);
      expect([currency, amount, Number.isInteger(units), fromMinorUnits(units, currency)]).toEqual([
        currency,
        amount,
        true,
        amount,
      ]);
      expect([currency, digits(formatAmount(amount, currency, 'en'))]).toEqual([currency, amount]);
      // Stripe refuses a third decimal that is not 0.
      if (decimalsOf(currency) === 3) expect([currency, amount, units % 10]).toEqual([currency, amount, 0]);
    }
});

test('17 currencies are priced without decimals, 5 with three, and 23 have a minimum price', () => {
  const count = (decimals: number) => [...currencies].filter((code) => decimalsOf(code) === decimals).length;
  expect([count(0), count(3), Object.keys(minAmounts).length]).toEqual([15 + 2, 5, 23]);
  for (const [currency, min] of Object.entries(minAmounts)) {
    expect([currency, priceProblem(min, currency)]).toEqual([currency, null]);
    expect(priceProblem(min / 2, currency)).toBe(`must be at least ${min} ${currency}`);
  }
});

test('no price has more than the eight digits that Stripe accepts', () => {
  for (const currency of currencies) {
    const highest = decimalsOf(currency) === 3 ? 99_999.99 : decimalsOf(currency) === 2 ? maxAmount : 999_999;
    expect([currency, priceProblem(highest, currency)]).toEqual([currency, null]);
    expect([currency, toMinorUnits(highest, currency) <= 99_999_999]).toEqual([currency, true]);
    expect([currency, priceProblem(highest + 1, currency)]).toEqual([
      currency,
      expect.stringMatching(/^must be at most/),
    ]);
  }
});

test.for([
  [49, 'EUR', 'en', '€49'],
  [49.5, 'EUR', 'en', '€49.50'],
  [49.5, 'EUR', 'de', '49,50 €'],
  [500, 'JPY', 'ja', '￥500'],
  [1_200, 'ISK', 'en', 'ISK 1,200'],
  [1.25, 'KWD', 'en', 'KWD 1.250'],
] as const)('an amount of %f %s in the language %s is written %s', ([amount, currency, language, text]) => {
  expect(formatAmount(amount, currency, language).replaceAll('\u00a0', ' ')).toBe(text);
});
