import { ApiError } from './api-error.ts';
import type { Context } from './context.ts';

/** The call that an answer is too large for, from after its access checks and its input on. */
interface LargeCall {
  ctx: Context;
  run(about: Pick<Context, 'deps' | 'listPart'>): Promise<unknown>;
}

/**
 * The records of a list are too large to be held at once: a surface that can sends them one after another, from one
 * snapshot. To others it is an error that says how to ask for less.
 */
export class LargeAnswerError extends ApiError {
  call: LargeCall | undefined;

  constructor() {
    super('invalid_request', 'the response would exceed 1 MiB: request fewer records or fewer fields');
  }
}
