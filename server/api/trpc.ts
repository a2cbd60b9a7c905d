import { initTRPC } from '@trpc/server';
import { z } from 'zod';
import { explainIssue } from '../../shared/contract/validation-messages.ts';
import { toApiError } from './api-error.ts';
import type { AnswerNotes, Context } from './context.ts';
import type { Meta } from './meta.ts';
import { transformer } from './transformer.ts';

// Default messages of contracts that define none.
z.config({ customError: explainIssue });

export const t = initTRPC
  .context<Context>()
  .meta<Meta>()
  .create({
    transformer,
    isDev: false,
    errorFormatter({ shape, error, type }) {
      const { errorCode, message, status, retryAfter, details } = toApiError(error, type === 'mutation');
      const { path } = shape.data;
      return {
        code: shape.code,
        message,
        data: {
          code: errorCode,
          httpStatus: status,
          ...(path === undefined ? {} : { path }),
          ...(retryAfter === undefined ? {} : { retryAfter }),
          ...details,
        },
      };
    },
  });

export const { router, mergeRouters } = t;

/** Creates a builder of resolvers that return `status` after their work. */
const answering =
  <const Status extends string>(status: Status) =>
  <Call>(work: (call: Call) => Promise<unknown>) =>
  async (call: Call) => {
    await work(call);
    return { status };
  };

export const updates = answering('updated');
export const deletes = answering('deleted');

/** Creates a resolver that answers 200 instead of 201 for a row that was stored before. */
export const createdOrFound =
  <Call extends { ctx: { answer: AnswerNotes } }, Row extends { isNew: boolean }>(
    work: (call: Call) => Promise<Row>,
  ) =>
  async (call: Call): Promise<Omit<Row, 'isNew'>> => {
    const { isNew, ...created } = await work(call);
    if (!isNew) call.ctx.answer.status = 200;
    return created;
  };
