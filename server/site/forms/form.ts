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

/** Problems of a submitted form by field, as keys of the site's strings. `form` is a problem of no single field. */
export type FormProblems = Partial<Record<string, Problem>>;

const ofFields = ['email', 'name', 'content', 'code'] as const satisfies readonly Problem[];
const problemOf = (field: string): Problem => ofFields.find((known) => known === field) ?? 'other';

/**
 * Returns the problems in an error of a procedure: invalid fields, a wrong code or a rate limit. Throws other errors as
 * an `ApiError`.
 */
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
  /** Renders the form with the submitted values and their problems, after a call of `submit` was refused. */
  again(filled: { values: SubmittedFields; problems: FormProblems }): PageRenderer;
}

/** Returns true if the field that people do not see is filled in. Bots get the same response as after a success. */
export const isBot = ({ homepage }: SubmittedFields) => Boolean(homepage);

/**
 * Throws `origin_not_allowed` if the `Origin` header is missing, or names another host than `Host`. The scheme is not
 * compared, because a proxy that ends TLS may not report it.
 */
export function requireOwnOrigin({ headers }: FastifyRequest) {
  const { origin = '', host = '' } = headers;
  const isOwn = URL.canParse(origin) && new URL(origin).host === host.toLowerCase().replace(/:(80|443)$/, '');
  if (!isOwn) throw new ApiError('origin_not_allowed', 'this form was not sent from a page of this site');
}
