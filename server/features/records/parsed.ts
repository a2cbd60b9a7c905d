import { ApiError } from '../../kernel/api-error.ts';

/** tRPC types the input of a generic procedure as possibly unset, which behind a parser it never is. */
export function parsed<T>(input: T | undefined): T {
  if (input === undefined) throw new ApiError('invalid_request');
  return input;
}
