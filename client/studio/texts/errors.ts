import { isApiError } from '../../sdk/index.ts';
import { texts } from './texts.ts';

/** A service that is newer than this panel may know errors that it has no words for. */
const byCode: Partial<Record<string, string>> = texts.errors.byCode;

/** What a person is told of a failure. */
export function wordsFor(error: unknown): string {
  if (!isApiError(error)) return texts.errors.offline;
  return byCode[error.data.code] ?? texts.errors.unknown;
}
