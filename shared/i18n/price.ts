import { formatAmount } from '../contract/currencies.ts';
import type { SiteStrings } from './en.ts';

interface Price {
  amount: number;
  currency: string;
  interval: 'once' | 'month' | 'year';
}

/** Returns a price in the language of a site, such as `€49` or `€5 a month`. */
export function priceText(
  strings: SiteStrings,
  { amount, currency, interval }: Price,
  language: string,
): string {
  const price = formatAmount(amount, currency, language);
  if (interval === 'once') return price;
  return (interval === 'month' ? strings.aMonth : strings.aYear)(price);
}
