/**
 * Currencies as Stripe takes them (https://docs.stripe.com/currencies). In the API, an amount is a decimal number in
 * the main unit, such as 49.5 EUR. For the payment provider, it is an integer in minor units.
 */

const setOf = (codes: string): ReadonlySet<string> => new Set(codes.split(' '));

/** ISO 4217 codes that this runtime knows. */
export const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

/** Currencies without decimals. Stripe takes their amounts in the main unit. */
const withoutDecimals = setOf('BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF');

/** Currencies whose amounts are whole, but are sent with two decimals. */
const wholeWithTwoDecimals = setOf('ISK UGX');

/** Currencies with three decimals, of which Stripe requires the last one to be 0. */
const withThreeDecimals = setOf('BHD JOD KWD OMR TND');

/** Smallest amounts that Stripe charges, in the main unit of each currency. Other currencies have no minimum. */
export const minAmounts: Readonly<Record<string, number>> = {
  ...{ AED: 2, AUD: 0.5, BRL: 0.5, CAD: 0.5, CHF: 0.5, CZK: 15, DKK: 2.5, EUR: 0.5, GBP: 0.3, HKD: 4 },
  ...{ HUF: 175, INR: 0.5, JPY: 50, MXN: 10, MYR: 2, NOK: 3, NZD: 0.5, PLN: 2, RON: 2, SEK: 3 },
  ...{ SGD: 0.5, THB: 10, USD: 0.5 },
};

/** Highest price. Stripe takes eight digits, so it is a tenth of this in currencies with three decimals. */
export const maxAmount = 999_999.99;

/** Returns the number of decimals that an amount in `currency` can have; 2 for an unknown currency. */
export function decimalsOf(currency: string): 0 | 2 | 3 {
  if (withoutDecimals.has(currency) || wholeWithTwoDecimals.has(currency)) return 0;
  return withThreeDecimals.has(currency) ? 3 : 2;
}

const minorUnits = (currency: string) =>
  10 ** (wholeWithTwoDecimals.has(currency) ? 2 : decimalsOf(currency));

/**
 * Converts an amount to the unit that Stripe takes: 49.5 EUR are 4,950, and 500 JPY are 500. Throws `RangeError` for an
 * amount with more decimals than the currency has.
 */
export function toMinorUnits(amount: number, currency: string): number {
  const problem = amountProblem(amount, currency);
  if (problem) throw new RangeError(`${amount} ${problem}`);
  return Math.round(amount * minorUnits(currency));
}

/** Converts an integer in the minor units of Stripe to an amount. */
export const fromMinorUnits = (units: number, currency: string) => units / minorUnits(currency);

/**
 * Returns the rule that an amount breaks, in words that follow the name of its field. Null for a valid amount.
 * `maxDecimals` lowers the number of decimals that the currency allows.
 */
export function amountProblem(amount: number, currency: string, maxDecimals = 3): string | null {
  const decimals = Math.min(decimalsOf(currency), maxDecimals);
  if (Number(amount.toFixed(decimals)) === amount) return null;
  return decimals === 0
    ? `must be a whole number in ${currency}`
    : `must have at most ${decimals} decimals in ${currency}`;
}

/**
 * Returns the rule that the price of an offer breaks, in words that follow the name of its field. Null for a valid
 * price. At most two decimals are allowed, because Stripe requires a third one to be 0.
 */
export function priceProblem(amount: number, currency: string): string | null {
  const min = minAmounts[currency] ?? 0;
  if (amount <= 0) return 'must be more than 0';
  if (amount < min) return `must be at least ${min} ${currency}`;
  const max = withThreeDecimals.has(currency) ? 99_999.99 : maxAmount;
  if (amount > max) return `must be at most ${max}`;
  return amountProblem(amount, currency, 2);
}

/**
 * Formats an amount in a language, such as `€49` or `49,50 €`. Decimals are left out if all are 0. Without `language`, the
 * language of the runtime is used. Throws a `RangeError` for a malformed language tag or currency code.
 */
export function formatAmount(amount: number, currency: string, language?: string): string {
  const decimals = decimalsOf(currency);
  return amount.toLocaleString(language, {
    style: 'currency',
    currency,
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
    trailingZeroDisplay: 'stripIfInteger',
  });
}
