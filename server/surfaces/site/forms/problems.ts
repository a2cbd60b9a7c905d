import { TRPCError } from '@trpc/server';
import { z } from 'zod';
import { ApiError, toApiError } from '../../../kernel/api-error.ts';

/** What is wrong with what was typed, in words for whoever typed it, by field; `form` for what no field is to blame for. */
export type FormProblems = Record<string, string>;

const texts: Record<string, string> = {
  email: 'This needs to be an e-mail address, such as grace@example.com.',
  name: 'Please say who you are, in at most 200 characters.',
  content: 'Please write something, in at most 5,000 characters.',
  code: 'That code is wrong, or has expired.',
};

/** The problems that a refusal of a procedure tells of. Throws anything else. */
export function problemsOf(error: unknown): FormProblems {
  if (error instanceof TRPCError && error.cause instanceof z.core.$ZodError) {
    const fields = error.cause.issues.map(({ path }) => String(path[0] ?? 'form'));
    return Object.fromEntries(fields.map((field) => [field, texts[field] ?? 'Please check this.']));
  }
  const refusal = toApiError(error, true);
  if (refusal.errorCode === 'unauthorized') return { code: texts.code ?? '' };
  if (refusal.errorCode === 'rate_limited')
    return { form: 'That was a little often. Please wait a minute, then try again.' };
  throw error instanceof ApiError ? error : refusal;
}
