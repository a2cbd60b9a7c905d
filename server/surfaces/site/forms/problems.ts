import { TRPCError } from '@trpc/server';
import { z } from 'zod';
import type { Words } from '../../../../shared/words/en.ts';
import { ApiError, toApiError } from '../../../kernel/api-error.ts';

type Problem = keyof Words['problems'];

/** What is wrong with what was typed, as the words name it, by field; `form` for what no field is to blame for. */
export type FormProblems = Partial<Record<string, Problem>>;

const ofFields = ['email', 'name', 'content', 'code'] as const satisfies readonly Problem[];
const problemOf = (field: string): Problem => ofFields.find((known) => known === field) ?? 'other';

/** The problems that a refusal of a procedure tells of. Throws anything else. */
export function problemsOf(error: unknown): FormProblems {
  if (error instanceof TRPCError && error.cause instanceof z.core.$ZodError) {
    const fields = error.cause.issues.map(({ path }) => String(path[0] ?? 'form'));
    return Object.fromEntries(fields.map((field) => [field, problemOf(field)]));
  }
  const refusal = toApiError(error, true);
  if (refusal.errorCode === 'unauthorized') return { code: 'code' };
  if (refusal.errorCode === 'rate_limited') return { form: 'often' };
  throw error instanceof ApiError ? error : refusal;
}
