import { InvalidArgumentError } from 'commander';

/** An option that is a number from 1 to 9999. */
export function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new InvalidArgumentError('Expected a number from 1 to 9999.');
  return Number(text);
}
