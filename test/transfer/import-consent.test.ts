import { afterAll, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { listReceiver } from '../support/sent-lists.ts';
import { zipOf } from '../support/zips.ts';

const app = await startApp();
afterAll(() => app[Symbol.asyncDispose]());

/** Columns of known systems: the value of a person who left, and of one who may be mailed. */
const known: [system: string, column: string, out: string, active: string][] = [
  ['MailPoet', 'Global status', 'unsubscribed', 'subscribed'],
  ['MailPoet', 'List status', 'unconfirmed', 'Subscribed'],
  ['Shopify', 'Accepts Email Marketing', 'no', 'yes'],
  ['Shopify', 'Accepts Marketing', 'FALSE', 'TRUE'],
  ['Mailchimp', 'UNSUB_TIME', '2024-01-01 10:00:00', ''],
  ['Mailchimp', 'UNSUB_REASON', 'SPAMMY_CONTENT', ''],
  ['Mailchimp', 'CLEAN_TIME', '2024-01-01 10:00:00', ''],
  ['Mailchimp', 'CONFIRM_TIME', '', '2024-01-01 10:00:00'],
  ['Ghost', 'subscribed_to_emails', 'false', 'true'],
  ['Ghost', 'subscribed_to_emails', '0', '1'],
  ['Ghost', 'deleted_at', '2024-01-01T00:00:00.000Z', 'null'],
  ['Substack', 'email_disabled', 'yes', 'no'],
  ['Beehiiv', 'status', 'inactive', 'active'],
  ['Beehiiv', 'Status', 'validating', 'Active'],
  ['Kit', 'status', 'complained', 'active'],
  ['Kit', 'state', 'bounced', 'active'],
  ['Kit', 'Status', 'Cancelled', 'Confirmed'],
  ['Buttondown', 'type', 'unactivated', 'regular'],
  ['Buttondown', 'subscriber_type', 'spammy', 'premium'],
  ['Buttondown', 'unsubscription_date', '2024-01-01', ''],
  ['Buttondown', 'undeliverability_reason', 'hard bounce', ''],
  ['Brevo', 'DOUBLE_OPT-IN', 'No', 'Yes'],
  ['Brevo', 'OPT_IN', 'false', 'true'],
  ['Brevo', 'EMAIL_BLACKLISTED', '1', '0'],
  ['MailerLite', 'Status', 'junk', 'active'],
  ['MailerLite', 'Subscribed', '', '2024-01-01 10:00:00'],
  ['HubSpot', 'Unsubscribed from all email', 'Yes', 'No'],
  ['HubSpot', 'Opted out of email: One to One', 'true', ''],
  ['HubSpot', 'Marketing contact status', 'Non-marketing contact', 'Marketing contact'],
  ['HubSpot', 'Email hard bounce reason', 'UNKNOWN_USER', ''],
  ['Klaviyo', 'Email Marketing Consent', 'NEVER_SUBSCRIBED', 'SUBSCRIBED'],
  ['Klaviyo', 'Email Suppressions', '["unsubscribe"]', '[]'],
  ['Salesforce', 'HasOptedOutOfEmail', '1', '0'],
  ['phpList', 'bouncecount', '3', '0'],
  ['Sendy', 'Bounces', '1.0', '0.0'],
  ['listmonk', 'status', 'blocklisted', 'enabled'],
  ['Wix', 'Email subscriber status', 'Never subscribed', 'Subscribed'],
  ['Constant Contact', 'Email status', 'Opt-Out', 'Active'],
  ['MySQL', 'unsubscribed_at', '2024-01-01 00:00:00', '0000-00-00 00:00:00'],
];

test('people whom a known system does not mail are skipped with a reason, and the others are imported', async () => {
  const site = await listReceiver(app);
  for (const [at, [system, column, out, active]] of known.entries()) {
    const cell = (value: string) => `"${value.replaceAll('"', '""')}"`;
    const list = `Email,${column}\nout${at}@example.com,${cell(out)}\nin${at}@example.com,${cell(active)}\n`;
    const { told, questions } = await site.import(list);
    expect({ system, column, told, questions }).toEqual({
      ...{ system, column, questions: [] },
      told: [
        [`out${at}@example.com`, 'skipped', expect.stringMatching(/^Not imported: /)],
        [`in${at}@example.com`, 'created', null],
      ],
    });
  }
  expect(Object.keys(await site.subscribers())).toEqual(
    known.map((_, at) => `in${at}@example.com`).toSorted(),
  );
});

test('a known column with an unknown value causes a question, and ignoring it still skips people who left', async () => {
  const site = await listReceiver(app);
  const list =
    'Email,Status\na@example.com,active\nb@example.com,VIP\nc@example.com,unsubscribed\nd@example.com,\n';
  const [question] = (await site.check(list)).questions;
  expect(question).toMatchObject({ column: 'Status', values: ['active', 'VIP', 'unsubscribed', ''] });
  const { told } = await site.import(list, { answers: { [question?.id ?? '']: 'ignore' } });
  expect(told.toSorted()).toEqual([
    ['a@example.com', 'created', null],
    ['b@example.com', 'created', null],
    [
      'c@example.com',
      'skipped',
      'Not imported: “unsubscribed” in the column “status” means that this person gets no mail',
    ],
    [
      'd@example.com',
      'skipped',
      'Not imported: the column “status” has no value, so consent to mail is missing',
    ],
  ]);
});

test('columns with the same name are all evaluated', async () => {
  const site = await listReceiver(app);
  const { told } = await site.import('Email,Status,STATUS\nx@example.com,active,unsubscribed\n');
  expect(told).toEqual([
    [
      'x@example.com',
      'skipped',
      'Not imported: “unsubscribed” in the column “status” means that this person gets no mail',
    ],
  ]);
  const { questions } = await site.check('Email,Zustimmung,zustimmung\nx@example.com,ja,nein\n');
  expect(questions.map(({ id, values }) => [id.slice(13), values])).toEqual([
    ['', ['ja']],
    ['-2', ['nein']],
  ]);
});

const substack = (readers: string) =>
  zipOf({
    'posts.csv': 'post_id,is_published,audience\n1.a,true,everyone\n',
    'posts/1.a.html': '<p>a</p>',
    'email_list.a.csv': readers,
  });

test("a column of Substack's subscriber list can cause a question", async () => {
  const site = await listReceiver(app);
  const file = substack(
    'email,active_subscription,email_disabled,Mail consent\na@example.com,false,false,yes\nb@example.com,false,1,yes\nc@example.com,false,false,no\n',
  );
  const [question] = (await site.check(file)).questions;
  expect(question).toMatchObject({ column: 'Mail consent', values: ['yes', 'no'] });
  await site.import(file, { answers: { [question?.id ?? '']: { may_mail: ['yes'] } } });
  expect(Object.keys(await site.subscribers())).toEqual(['a@example.com']);
});

test('people whom Ghost no longer mails are skipped with a reason', async () => {
  const site = await listReceiver(app);
  const member = (id: string, more: object = {}) => ({
    ...{ id: id.repeat(24), email: `${id}@example.com`, name: '', status: 'free', subscribed: true },
    ...more,
  });
  const { told } = await site.import(
    JSON.stringify({
      db: [
        {
          data: {
            members: [
              member('a'),
              member('b', { email_disabled: 1 }),
              member('c'),
              member('d', { email_disabled: 0 }),
            ],
            suppressions: [{ id: 's1', email: 'C@example.com', reason: 'spam' }],
          },
        },
      ],
    }),
  );
  expect(Object.keys(await site.subscribers())).toEqual(['a@example.com', 'd@example.com']);
  expect(told.filter(([, outcome]) => outcome === 'skipped')).toEqual(
    expect.arrayContaining([
      [
        'b@example.com',
        'skipped',
        'Not imported: Ghost no longer sends mail to this person (email_disabled)',
      ],
      [
        'c@example.com',
        'skipped',
        'Not imported: Ghost no longer sends mail to this person (suppressions: spam)',
      ],
    ]),
  );
});
