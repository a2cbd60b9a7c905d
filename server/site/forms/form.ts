import { TRPCError } from '@trpc/server';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { TierName } from '../../../shared/contract/limits.ts';
import type { SiteStrings } from '../../../shared/i18n/en.ts';
import { ApiError, toApiError } from '../../api/api-error.ts';
import type { Deps } from '../../api/deps.ts';
import type { Http } from '../../http/send-representation.ts';
import type { Page } from '../page.ts';
import type { CallByName } from '../procedures.ts';
import type { PageRenderer } from '../views/layout.ts';

type Problem = keyof SiteStrings['problems'];

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

type SubmittedFields = Readonly<Record<string, string>>;

export interface Form {
  path: string;
  page: Page;
  tier: TierName;
  /** Returns the path to redirect to, or the page to show next. */
  submit(
    submission: Http & { deps: Deps; call: CallByName; values: SubmittedFields },
  ): Promise<{ to: string } | { show: PageRenderer }>;
  /** The form with the submitted values, shown if one of its calls was refused. */
  again(filled: { values: SubmittedFields; problems: FormProblems }): PageRenderer;
}

/** Only machines fill in the field that people don't see; they are told that all went well. */
export const isBot = ({ homepage }: SubmittedFields) => Boolean(homepage);

/**
 * Throws `origin_not_allowed` for a form that did not come from a page of the same host: browsers say where a form was.
 * The scheme is left aside, since a proxy that ends TLS may not tell it.
 */
export function requireOwnOrigin({ headers }: FastifyRequest) {
  const { origin = '', host = '' } = headers;
  const isOwn = URL.canParse(origin) && new URL(origin).host === host.toLowerCase().replace(/:(80|443)$/, '');
  if (!isOwn) throw new ApiError('origin_not_allowed', 'this form was not sent from a page of this site');
}
