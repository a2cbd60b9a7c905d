import { expect, test } from 'vitest';
import { acceptedEmails, refusedEmails } from '../../test/support/email-table.ts';
import { comparableEmail, comparablePart, emailPattern, mailtoUrl } from './email.ts';
import { Email, EmailOrEmpty } from './fields.ts';
import { explainIssue } from './validation-messages.ts';

test.for(acceptedEmails)('"%s" is stored as "%s", which is stored unchanged', ([sent, stored]) => {
  for (const schema of [Email, EmailOrEmpty])
    expect([schema.parse(sent), schema.parse(stored)]).toEqual([stored, stored]);
  expect(comparableEmail(sent)).toBe(stored);
});

test.for(refusedEmails)('"%s" is refused: %s', ([sent, message]) => {
  for (const schema of [Email, EmailOrEmpty])
    expect(schema.safeParse(sent, { error: explainIssue }).error?.issues).toMatchObject([{ message }]);
  expect(comparableEmail(sent)).toBe(sent.toLowerCase());
});

test('an optional address may be empty, and a required one may not', () => {
  expect(EmailOrEmpty.parse('')).toBe('');
  expect(Email.safeParse('').success).toBe(false);
});

/** Addresses that are refused for reasons that the pattern does not express: lengths, UTS 46 and IPv4 addresses. */
const beyondPattern =
  /^(?:a{65}|user@(?:[\d１９２]+\.|0x|a\.0x|example\.123|a／b|xn--|a{64}|ü|(?:a\.){125}))/;

test.for(['', 'u'])('the documented pattern agrees with the rule, with the flags "%s"', (flags) => {
  const pattern = new RegExp(emailPattern, flags);
  for (const [sent] of acceptedEmails) expect([sent, pattern.test(sent)]).toEqual([sent, true]);
  for (const [sent] of refusedEmails)
    expect([sent, pattern.test(sent)]).toEqual([sent, beyondPattern.test(sent)]);
});

test('only a part of an address that ends with a whole domain has a stored form', () => {
  expect(['user@münchen.de', '@MÜNCHEN.de', 'münchen.de', 'münch', '', 'user@'].map(comparablePart)).toEqual([
    ...['user@xn--mnchen-3ya.de', '@xn--mnchen-3ya.de', 'xn--mnchen-3ya.de', null, null, null],
  ]);
});

test.for(acceptedEmails)('the mailto URL of "%s" has one receiver and nothing else', ([, stored]) => {
  const { protocol, pathname, search, hash } = new URL(mailtoUrl(stored));
  expect([protocol, decodeURIComponent(pathname), search, hash]).toEqual(['mailto:', stored, '', '']);
  expect(mailtoUrl(stored)).not.toMatch(/[&?+#"<>]/);
});
