import { getTRPCErrorFromUnknown } from '@trpc/server';
import { type ApiError, toApiError } from './api-error.ts';
import { audited } from './audit.ts';
import { isOutdated } from './callers.ts';
import type { Context } from './context.ts';
import { idempotent } from './idempotency/idempotent.ts';
import { LargeAnswerError } from './large-answer.ts';
import type { Procedure, Result } from './procedures.ts';

interface Call {
  ctx: Context;
  getRawInput(): Promise<unknown>;
  /** What it is refused with before it begins: it is over its limit, and others of its batch aren't. */
  refusal?: ApiError | undefined;
  /** As its contract made it, once that was asked. */
  input?: unknown;
  signal?: AbortSignal | undefined;
}

/**
 * Runs a procedure through its middlewares down to its resolver, and throws what it fails with: the one way in which
 * every surface calls. tRPC's own loop defines each property of a call anew for every middleware, which takes half the
 * time of a read from memory.
 */
export async function call(procedure: Procedure, started: Call): Promise<unknown> {
  const { name, type, meta, middlewares, outputAt } = procedure;
  const idempotentAt = started.ctx.idempotency && procedure.isWrite ? procedure.outputAt : -1;
  const auditedAt = procedure.isAudited ? procedure.outputAt : -1;
  let hasInput = false;
  const run = async (
    index: number,
    current: Call,
    isIdempotent = index !== idempotentAt,
    isNoted = index !== auditedAt,
  ): Promise<Result> => {
    const next = (changes?: Partial<Call>) =>
      run(index + 1, {
        ...current,
        ...changes,
        ctx: changes?.ctx ? { ...current.ctx, ...changes.ctx } : current.ctx,
      });
    try {
      if (index === outputAt && !hasInput) {
        hasInput = true;
        const { admission, deps } = current.ctx;
        if (type === 'mutation' && admission && isOutdated(admission, deps.clock)) {
          const again = { ...about, ...started, ctx: { ...started.ctx, admission } };
          const { refused, onlyOwn } = await checkAgain(middlewares, again);
          if (refused) return refused;
          return await run(index, { ...current, ctx: { ...current.ctx, onlyOwn } });
        }
      }
      if (!isIdempotent)
        return await idempotent(procedure, current.ctx, (ctx) => run(index, { ...current, ctx }, true));
      if (!isNoted) {
        const { ctx, input } = current;
        return await audited({ procedure, ctx, input }, (within) =>
          run(index, { ...current, ctx: within }, true, true),
        );
      }
      const middleware = middlewares[index];
      if (!middleware) throw new Error(`${name} has nothing that resolves it`);
      const result = await middleware({ ...current, next });
      if (index === outputAt) noteCall(result, current.ctx, (ctx) => run(index, { ...current, ctx }));
      return result;
    } catch (cause) {
      return { ok: false, error: getTRPCErrorFromUnknown(cause) };
    }
  };
  const about = { path: name, type, meta, signal: undefined, input: undefined };
  const { refusal } = started;
  const result: Result = refusal ? { ok: false, error: refusal } : await run(0, { ...about, ...started });
  started.ctx.calls.push({
    name: (started.ctx.surface === 'mcp' && meta.mcp?.name) || name,
    error:
      result.ok || result.error instanceof LargeAnswerError
        ? undefined
        : toApiError(result.error, type === 'mutation').errorCode,
  });
  if (!result.ok) throw result.error;
  return result.data;
}

/** Asks the access checks, which come first, once more: what refuses the call by now, and what its caller may write. */
async function checkAgain([check]: Procedure['middlewares'], call: Call) {
  let onlyOwn: Context['onlyOwn'];
  const next = async (changes?: Partial<Call>): Promise<Result> => {
    onlyOwn = changes?.ctx?.onlyOwn;
    return { ok: true, data: undefined };
  };
  const result = await check?.({ ...call, next });
  return { refused: result?.ok ? null : result, onlyOwn };
}

/** A large answer is made by the same call, piece by piece, as often as that takes. */
function noteCall(result: Result, ctx: Context, run: (ctx: Context) => Promise<Result>) {
  if (result.ok || !(result.error instanceof LargeAnswerError)) return;
  result.error.call = {
    ctx,
    async run(about) {
      const piece = await run({ ...ctx, ...about });
      if (!piece.ok) throw piece.error;
      return piece.data;
    },
  };
}
