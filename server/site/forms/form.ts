import { TRPCError } from '@trpc/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { SiteStrings } from '../../../shared/i18n/en.ts';
import { ApiError, toApiError } from '../../api/api-error.ts';
import type { AnswerNotes } from '../../api/context.ts';
import type { Deps } from '../../api/deps.ts';
import type { Http } from '../../http/send-representation.ts';
import type { Page, Visit } from '../page.ts';
import { headersWithFrame, pageHeaders } from '../policy.ts';
import type { CallByName } from '../procedures.ts';
import { type PageRenderer, renderInLayout } from '../views/layout.ts';
import { beginVisit } from '../visit.ts';

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
  return limitProblemOf(refusal);
}

/** Returns the problem in a refusal by a rate limit, for forms without a field. Throws other errors as an `ApiError`. */
export function limitProblemOf(error: unknown): FormProblems {
  const refusal = toApiError(error, true);
  if (refusal.errorCode === 'rate_limited') return { form: 'often' };
  throw error instanceof ApiError ? error : refusal;
}

type SubmittedFields = Readonly<Record<string, string>>;

export interface Submission extends Http {
  deps: Deps;
  call: CallByName;
  /** Submitted fields without spaces at their ends. */
  values: SubmittedFields;
  /** Notes of the called procedure. */
  answer: AnswerNotes;
}

/** Form of a page. `serveForm` counts and checks its requests before `submit` runs. */
export interface Form {
  path: string;
  /** Names of the mutations that the form calls. All declare the same rate limit tier, in which the form counts. */
  calls: readonly [string, ...string[]];
  /** True if mail programs send the form too, from any origin and with any body. The body is ignored. */
  isOneClick?: true;
  /** Maximum size of the body, in bytes. */
  maxBytes?: number;
  /** Calls the procedures, and sends the response to a success. */
  submit(submission: Submission): Promise<unknown>;
  /**
   * Sends the page with the form again, with the submitted values and a text for `error`, a refusal of the rate limit or
   * of a procedure. The status of the error is set already. Throws an error for which the page has no text.
   */
  again(submission: Submission, error: unknown): Promise<unknown>;
}

/** Form on a page that is rendered with the submitted values and their problems. */
export interface PageForm extends Pick<Form, 'path' | 'calls' | 'maxBytes'> {
  page: Page;
  /** Returns the path to redirect to, or the page to show next. */
  submit(submission: Submission): Promise<{ to: string } | { show: PageRenderer }>;
  again(filled: { values: SubmittedFields; problems: FormProblems }): PageRenderer;
}

export function formOf({ page, submit, again, ...form }: PageForm): Form {
  const show = async ({ deps, request, reply }: Submission, view: PageRenderer) =>
    sendOnce(reply, await beginVisit(deps, request, page), view);
  return {
    ...form,
    async submit(submission) {
      const outcome = await submit(submission);
      return 'to' in outcome ? submission.reply.redirect(outcome.to, 303) : show(submission, outcome.show);
    },
    again: async (submission, error) =>
      show(submission, again({ values: submission.values, problems: problemsOf(error) })),
  };
}

/** Sends a page with `no-store`. Headers that are already set on the reply are not replaced. */
export async function sendOnce(reply: FastifyReply, visit: Visit, view: PageRenderer) {
  const { type, body, frame } = await renderInLayout(visit, view);
  for (const [name, value] of Object.entries(frame ? headersWithFrame(frame) : pageHeaders))
    if (!reply.hasHeader(name)) reply.header(name, value);
  return reply.header('cache-control', 'private, no-store').type(type).send(body);
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
