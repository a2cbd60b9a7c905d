import { html, raw } from 'hono/html';
import { maxEmailLength } from '../../../shared/contract/email.ts';
import { sitePaths } from '../../../shared/contract/site-paths.ts';
import type { Words } from '../../../shared/i18n/en.ts';
import type { FormProblems } from '../forms/form.ts';
import { longestPageParameter } from '../page.ts';
import { nothing, type View, when } from './parts.ts';

export interface FormValues {
  values: Readonly<Record<string, string>>;
  problems: Readonly<FormProblems>;
}

export const unfilled: FormValues = { values: {}, problems: {} };

interface FieldOptions extends FormValues {
  words: Words;
  name: string;
  label: string;
  type?: string;
  autocomplete?: string;
  hint?: string | undefined;
  required?: boolean;
  maxlength?: number;
  multiline?: boolean;
  inputmode?: string;
}

export function field({ words, values, problems, name, type = 'text', ...options }: FieldOptions): View {
  const { label, autocomplete, hint, required, maxlength, multiline, inputmode } = options;
  const value = values[name] ?? '';
  const named = problems[name];
  const problem = named && words.problems[named];
  const described = [hint && `${name}-hint`, problem && `${name}-problem`].filter(Boolean).join(' ');
  const attributes = html` id="${name}" name="${name}"${when(autocomplete, () => html` autocomplete="${autocomplete}"`)}${when(
    required,
    () => raw(' required'),
  )}${when(maxlength, () => html` maxlength="${maxlength}"`)}${when(inputmode, () => html` inputmode="${inputmode}"`)}${when(
    described,
    () => html` aria-describedby="${described}"`,
  )}${when(problem, () => raw(' aria-invalid="true"'))}`;
  return html`<div class="field"><label for="${name}">${label}</label>
${when(hint, () => html`<p class="hint" id="${name}-hint">${hint}</p>`)}
${multiline ? html`<textarea${attributes}>${value}</textarea>` : html`<input type="${type}"${attributes} value="${value}">`}
${when(problem, () => html`<p class="problem" id="${name}-problem">${problem}</p>`)}</div>`;
}

export const emailField = (words: Words, filled: FormValues, hint?: string): View =>
  field({
    ...filled,
    words,
    name: 'email',
    label: words.emailAddress,
    // Not the type `email`: WebKit would refuse addresses whose domain is not ASCII.
    inputmode: 'email',
    autocomplete: 'email',
    hint,
    required: true,
    maxlength: maxEmailLength,
  });

/** A field that people never see, and that machines fill in. */
export const honeypot = ({ leaveEmpty }: Words): View =>
  html`<p class="extra" aria-hidden="true"><label for="homepage">${leaveEmpty}</label><input id="homepage" name="homepage" type="text" tabindex="-1" autocomplete="off"></p>`;

export const formProblem = (words: Words, { problems: { form } }: FormValues): View =>
  form ? html`<p class="note" role="alert">${words.problems[form]}</p>` : nothing;

export const subscribeForm = (
  words: Words,
  { source, ...filled }: FormValues & { source: string },
): View => html`
<form method="post" action="${sitePaths.newsletter}">
${when(source === 'home', () => html`<p>${words.newByEmailLead}</p>`)}
${formProblem(words, filled)}
${emailField(words, filled)}
<input type="hidden" name="source" value="${source}">${honeypot(words)}
<p><button type="submit">${words.subscribe}</button></p>
</form>`;

export const subscribeField = (
  words: Words,
  source: string,
): View => html`<section class="subscribe" aria-labelledby="subscribe-title">
<h2 id="subscribe-title">${words.newByEmail}</h2>
<form class="inline" method="post" action="${sitePaths.newsletter}">
${emailField(words, unfilled)}
<input type="hidden" name="source" value="${source}">${honeypot(words)}
<button type="submit">${words.subscribe}</button></form></section>`;

export const searchForm = (
  { search }: Words,
  q = '',
  path: string = sitePaths.posts,
): View => html`<form class="search inline" action="${path}" role="search">
<div class="field"><label for="q">${search}</label><input id="q" name="q" type="search" maxlength="${longestPageParameter}" value="${q}"></div>
<button type="submit">${search}</button></form>`;
