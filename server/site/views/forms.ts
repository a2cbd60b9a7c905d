import { html, raw } from 'hono/html';
import { maxEmailLength } from '../../../shared/contract/email.ts';
import { sitePaths } from '../../../shared/contract/site-paths.ts';
import type { SiteStrings } from '../../../shared/i18n/en.ts';
import type { FormProblems } from '../forms/form.ts';
import { maxPageParameterLength } from '../page.ts';
import { nothing, type View, when } from './parts.ts';

export interface FormValues {
  values: Readonly<Record<string, string>>;
  problems: Readonly<FormProblems>;
}

export const unfilled: FormValues = { values: {}, problems: {} };

interface FieldOptions extends FormValues {
  strings: SiteStrings;
  name: string;
  label: string;
  type?: string;
  autocomplete?: string;
  hint?: string | undefined;
  required?: boolean;
  maxlength?: number;
  multiline?: boolean;
  inputmode?: string;
  /** True to move the focus to the field if it has a problem, on pages whose form is not at the top. */
  focused?: boolean;
}

export function field({ strings, values, problems, name, type = 'text', ...options }: FieldOptions): View {
  const { label, autocomplete, hint, required, maxlength, multiline, inputmode, focused } = options;
  const value = values[name] ?? '';
  const named = problems[name];
  const problem = named && strings.problems[named];
  const described = [hint && `${name}-hint`, problem && `${name}-problem`].filter(Boolean).join(' ');
  const attributes = html` id="${name}" name="${name}"${when(autocomplete, () => html` autocomplete="${autocomplete}"`)}${when(
    required,
    () => raw(' required'),
  )}${when(maxlength, () => html` maxlength="${maxlength}"`)}${when(inputmode, () => html` inputmode="${inputmode}"`)}${when(
    described,
    () => html` aria-describedby="${described}"`,
  )}${when(problem, () => raw(focused ? ' aria-invalid="true" autofocus' : ' aria-invalid="true"'))}`;
  return html`<div class="field"><label for="${name}">${label}</label>
${when(hint, () => html`<p class="hint" id="${name}-hint">${hint}</p>`)}
${multiline ? html`<textarea${attributes}>${value}</textarea>` : html`<input type="${type}"${attributes} value="${value}">`}
${when(problem, () => html`<p class="problem" id="${name}-problem">${problem}</p>`)}</div>`;
}

export const emailField = (strings: SiteStrings, filled: FormValues, hint?: string): View =>
  field({
    ...filled,
    strings,
    name: 'email',
    label: strings.emailAddress,
    // Not the type `email`: WebKit would refuse addresses whose domain is not ASCII.
    inputmode: 'email',
    autocomplete: 'email',
    hint,
    required: true,
    maxlength: maxEmailLength,
  });

/** A field that people never see, and that machines fill in. */
export const honeypot = ({ leaveEmpty }: SiteStrings): View =>
  html`<p class="extra" aria-hidden="true"><label for="homepage">${leaveEmpty}</label><input id="homepage" name="homepage" type="text" tabindex="-1" autocomplete="off"></p>`;

/**
 * Renders the problem of a form that concerns no single field; empty without one. With `focused` it takes the focus, for pages
 * that do not begin with the form.
 */
export const formProblem = (
  strings: SiteStrings,
  { problems: { form } }: Pick<FormValues, 'problems'>,
  focused = false,
): View =>
  form
    ? html`<p class="note" role="alert"${raw(focused ? ' tabindex="-1" autofocus' : '')}>${strings.problems[form]}</p>`
    : nothing;

export const subscribeForm = (
  strings: SiteStrings,
  { source, ...filled }: FormValues & { source: string },
): View => html`
<form method="post" action="${sitePaths.newsletter}">
${when(source === 'home', () => html`<p>${strings.newByEmailLead}</p>`)}
${formProblem(strings, filled)}
${emailField(strings, filled)}
<input type="hidden" name="source" value="${filled.values.source ?? source}">${honeypot(strings)}
<p><button type="submit">${strings.subscribe}</button></p>
</form>`;

export const subscribeField = (
  strings: SiteStrings,
  source: string,
): View => html`<section class="subscribe" aria-labelledby="subscribe-title">
<h2 id="subscribe-title">${strings.newByEmail}</h2>
<form class="inline" method="post" action="${sitePaths.newsletter}">
${emailField(strings, unfilled)}
<input type="hidden" name="source" value="${source}">${honeypot(strings)}
<button type="submit">${strings.subscribe}</button></form></section>`;

export const searchForm = (
  { search }: SiteStrings,
  q = '',
  path: string = sitePaths.posts,
): View => html`<form class="search inline" action="${path}" role="search">
<div class="field"><label for="q">${search}</label><input id="q" name="q" type="search" maxlength="${maxPageParameterLength}" value="${q}"></div>
<button type="submit">${search}</button></form>`;
