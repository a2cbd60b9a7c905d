/** ISO 4217 codes. */
export const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

/** Currencies by the decimals of their amounts, as Stripe lists them; all others have two. */
const byDecimals: Readonly<Record<number, ReadonlySet<string>>> = {
  // Stripe takes amounts in ISK and UGX with two decimals, which are always zero.
  0: new Set('BIF CLP DJF GNF ISK JPY KMF KRW MGA PYG RWF UGX VND VUV XAF XOF XPF'.split(' ')),
  3: new Set('BHD JOD KWD OMR TND'.split(' ')),
};

/** Number of decimals that an amount in `currency` can have: 0, 2 or 3. */
export const decimalsOf = (currency: string): number =>
  byDecimals[0]?.has(currency) ? 0 : byDecimals[3]?.has(currency) ? 3 : 2;

/** Rule that an amount breaks, in words that follow the name of its field; null for a valid amount. */
export function amountProblem(amount: number, currency: string, maxDecimals = 3): string | null {
  const decimals = Math.min(decimalsOf(currency), maxDecimals);
  if (Number(amount.toFixed(decimals)) === amount) return null;
  return decimals === 0
    ? `must be a whole number in ${currency}`
    : `must have at most ${decimals} decimals in ${currency}`;
}
