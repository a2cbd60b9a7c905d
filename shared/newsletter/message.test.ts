import { expect, test } from 'vitest';
import { prepareMessage } from './message.ts';

const reader = {
  id: 'r1',
  email: 'grace@example.com',
  unsubscribeUrl: 'https://example.com/newsletter/unsubscribe/t',
};

function headersOf({ subject = 'A subject', name = 'Ada Marsh' }) {
  const from = { name, address: 'no-reply@example.com' };
  const about = { subject, from, replyTo: '', site_id: 's1', mailing_id: 'm1' };
  const make = prepareMessage({ ...about, html: '', text: '' });
  const [head = ''] = make(reader, new Date(0)).map(String).join('').split('\r\n\r\n');
  return new Map(
    head
      .replaceAll(/\r\n[ \t]/g, ' ')
      .split('\r\n')
      .map((line): [string, string] => [line.split(':', 1)[0] ?? '', line.replace(/^[^:]*: /, '')]),
  );
}

test.each([
  ['Ada Marsh', '"Ada Marsh"'],
  ['Boats, nets & more', '"Boats, nets & more"'],
  ['Ada "the boat" \\ Marsh', '"Ada \\"the boat\\" \\\\ Marsh"'],
  ['Käthe', '=?UTF-8?Q?K=C3=A4the?='],
  ['A <boss@example.com>', '"A <boss@example.com>"'],
  ['Käthe <boss@example.com>', '=?UTF-8?Q?K=C3=A4the_=3Cboss=40example=2Ecom=3E?='],
  ['=?UTF-8?Q?Somebody?=', '=?UTF-8?Q?=3D=3FUTF-8=3FQ=3FSomebody=3F=3D?='],
  ['Ada\r\nBcc: a@example.com', '"Ada Bcc: a@example.com"'],
  ['', ''],
])('the name of a site becomes the sender name, and nothing else: %j', (name, written) => {
  expect(headersOf({ name }).get('From')).toBe(`${written} <no-reply@example.com>`.trim());
});

test.each([
  'One\r\nBcc: a@example.com',
  'One\u2028Bcc: a@example.com\u0000',
  'É'.repeat(100),
  '=?UTF-8?Q?a=0ABcc:_a=40example.com?=',
])('a subject adds no header, and arrives unchanged: %j', (subject) => {
  const headers = headersOf({ subject });
  expect([...headers.keys()]).toEqual([
    ...['To', 'Date', 'Message-ID', 'List-Unsubscribe', 'List-Unsubscribe-Post'],
    ...['From', 'Subject', 'List-Id', 'Feedback-ID', 'MIME-Version', 'Content-Type'],
  ]);
  expect(headers.get('Subject')).not.toContain('=?UTF-8?Q?a=0A');
});
