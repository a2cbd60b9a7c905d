import { isApiError } from '../../sdk/index.ts';
import { texts } from './texts.ts';

/** A service that is newer than this panel may know errors that it has no words for. */
const byCode: Partial<Record<string, string>> = texts.errors.byCode;

/** What a person is told of a failure. */
export function wordsFor(error: unknown): string {
  if (!isApiError(error)) return texts.errors.offline;
  return wordsForCode(error.data.code);
}

/** The same by the code alone. */
export const wordsForCode = (code: string): string => byCode[code] ?? texts.errors.unknown;
