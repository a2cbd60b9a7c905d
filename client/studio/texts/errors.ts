import { isApiError } from '../../sdk/index.ts';
import { texts } from './texts.ts';

/** What a person is told of a failure. */
export function wordsFor(error: unknown): string {
  if (!isApiError(error)) return texts.errors.offline;
  return texts.errors.byCode[error.data.code] ?? texts.errors.unknown;
}
