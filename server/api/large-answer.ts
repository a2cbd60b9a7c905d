import { ApiError } from './api-error.ts';
import type { Context } from './context.ts';

/**
 * Error of a list whose records are too large to load together. REST and RPC send such a list in parts from one
 * snapshot. Tools return this error, which tells callers to request less.
 */
export class LargeAnswerError extends ApiError {
  /** Call whose answer is too large. `run` repeats it without its access checks and input validation. */
  call: { ctx: Context; run(about: Pick<Context, 'deps' | 'listPart'>): Promise<unknown> } | undefined;

  constructor() {
    super('invalid_request', 'the response would exceed 1 MiB: request fewer records or fewer fields');
  }
}
