import type { z } from 'zod';

/** Maximum length of an email address, in characters (RFC 5321, 4.5.3.1). */
export const maxEmailLength = 254;
const maxLocalPartLength = 64;

const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
const dotAtom = `${atom}(?:\\.${atom})*`;
const localPart = new RegExp(`^${dotAtom}$`);

/** Characters of a domain: letters, digits, hyphens, dots, and all characters outside ASCII, which UTS 46 checks. */
const domainCharacters = /^[A-Za-z0-9.\-\u{80}-\u{10ffff}]+$/u;

const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
/** Domain with at least two labels. An all-digit last label would make it an IPv4 address. */
const asciiDomain = new RegExp(`^(?:${label}\\.)+(?!\\d+$)${label}$`);

/** First or last character of a label: letter, digit or character outside ASCII, except the other dots of UTS 46. */
const wideEnd = '[^\\x00-/:-@\\[-\\x60{-\\x7f。．｡]';
const wideLabel = `${wideEnd}(?:[^\\x00-,./:-@\\[-\\x60{-\\x7f。．｡]*${wideEnd})?`;

/**
 * Pattern of accepted addresses for JSON Schema, without lookaheads, which many tools do not support. It matches every
 * accepted address. It also matches addresses that are refused because of a length, UTS 46 or the form of an IPv4
 * address.
 */
export const emailPattern = `^${dotAtom}@${wideLabel}(?:[.。．｡]${wideLabel})+$`;

/**
 * Parses an email address. `stored` is the form that is stored and compared: lower case, with the domain as A-labels.
 * For an invalid address, the result has `problem` instead: the violated rule in words that follow the name of the
 * field.
 */
export function readEmail(text: string): { stored: string } | { problem: string } {
  const at = text.lastIndexOf('@');
  const [local, domain] = [text.slice(0, at), text.slice(at + 1)];
  if (at < 1 || domain === '') return { problem: 'must be an email address' };
  if (local.includes('"'))
    return { problem: 'must not have a quoted local part, such as "a b"@example.com: leave out the quotes' };
  if (/[^\p{ASCII}]/u.test(local))
    return {
      problem: 'must not have a non-ASCII local part: only the domain after the @ may have other characters',
    };
  if (domain.startsWith('['))
    return {
      problem: 'must not have an address literal, such as [192.0.2.1]: use a domain name after the @',
    };
  if (!localPart.test(local)) return { problem: 'must be an email address' };
  if (local.length > maxLocalPartLength)
    return { problem: `must have at most ${maxLocalPartLength} characters before the @` };
  const ascii = toAsciiDomain(domain);
  if (ascii === null) return { problem: 'must have a valid domain name after the @, such as example.com' };
  const stored = `${local.toLowerCase()}@${ascii}`;
  if (stored.length > maxEmailLength)
    return { problem: `must have at most ${maxEmailLength} characters, with the domain in ASCII form` };
  return { stored };
}

/**
 * Converts a domain to lower-case A-labels; null if it is not valid. URL parsers convert it by UTS 46, in browsers too,
 * but without the STD3 rules and without lengths. They accept underscores, empty labels and a dot at the end. They
 * check A-labels only if the domain has other characters too, so a label with one is put in front.
 */
export function toAsciiDomain(domain: string): string | null {
  const url = `http://\u00e9.${domain}`;
  if (!domainCharacters.test(domain) || !URL.canParse(url)) return null;
  const ascii = new URL(url).hostname.replace(/^xn--9ca\./, '');
  return asciiDomain.test(ascii) ? ascii : null;
}

/** Replaces an address by its stored form, as a check of a Zod schema. Adds an issue for an invalid address. */
export function storeEmail(payload: z.core.ParsePayload<string>) {
  const read = readEmail(payload.value);
  if ('stored' in read) payload.value = read.stored;
  else payload.issues.push({ code: 'custom', message: read.problem, input: payload.value });
}

/**
 * Returns the stored form of a text that may be an address, such as a login or a part of a search. Text that is not
 * an address is returned in lower case.
 */
export function comparableEmail(text: string): string {
  const read = readEmail(text);
  return 'stored' in read ? read.stored : text.toLowerCase();
}

/**
 * Returns a part of an address, such as `@Example.com`, in the form of stored addresses. Null if it does not end with
 * a complete, valid domain.
 */
export function comparablePart(text: string): string | null {
  const at = text.lastIndexOf('@') + 1;
  const domain = toAsciiDomain(text.slice(at));
  return domain === null ? null : text.slice(0, at) + domain;
}

/**
 * Returns the `mailto:` URL of a stored address. `?`, `&`, `%` and `+` in its local part are encoded, because they have
 * a meaning in URLs.
 */
export function mailtoUrl(email: string): string {
  const at = email.lastIndexOf('@');
  return `mailto:${encodeURIComponent(email.slice(0, at))}${email.slice(at)}`;
}

/**
 * Returns the mailbox of a stored address, for comparisons. Most providers deliver `grace+news@example.com` to
 * `grace@example.com`, so `+` and the text after it are left out.
 */
export const mailboxOf = (email: string) => email.replace(/(?<!^)\+[^@]*/, '');
