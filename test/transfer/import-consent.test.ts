import { afterAll, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { rowsOf, temporaryFile } from '../support/archives.ts';
import { runNode } from '../support/process.ts';
import { refusal } from '../support/rpc.ts';
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

/**
 * Column names that no rule knows, in English, German, French, Spanish, Portuguese, Italian, Japanese and
 * other languages.
 */
const unknown = [
  ...[
    'Mail status',
    'Opt-Out flag',
    'emailOptOut2',
    'Wants Newsletter',
    'Receives mail',
    'Do Not Mail',
    'DNC',
    "Don't email",
  ],
  ...[
    'GDPR consent',
    'Marketing permission',
    'Soft bounces',
    'Complaint type',
    'Suppression list',
    'Blocked',
    'Deliverability',
  ],
  ...[
    'Email verified',
    'Is active',
    'Removed',
    'Legal basis',
    'Email preferences',
    'Patron status',
    'Unsubscribes',
  ],
  ...[
    'Abgemeldet',
    'Abmeldung',
    'Abo',
    'Einwilligung',
    'Werbeeinwilligung',
    'Zustimmung',
    'Einverständnis',
    'DSGVO',
  ],
  ...['Widerspruch', 'Gesperrt', 'Unzustellbar', 'Rückläufer', 'Beschwerde', 'Bestätigt', 'Sperrvermerk'],
  ...[
    'Désabonné',
    'Abonné',
    'Désinscrit',
    'Inscrit',
    'Consentement',
    'RGPD',
    'Statut',
    'Rebond',
    'Plainte',
    'Ne plus contacter',
  ],
  ...[
    'Suscrito',
    'Dado de baja',
    'Consentimiento',
    'Acepta publicidad',
    'Rebotado',
    'Queja',
    'Estado',
    'No contactar',
  ],
  ...[
    'Inscrito',
    'Assinante',
    'Descadastrado',
    'Aceita receber',
    'Devolvido',
    'Reclamação',
    'LGPD',
    'Situação',
    'Não enviar',
  ],
  ...['Iscritto', 'Disiscritto', 'Consenso', 'Accetta', 'Rimbalzo', 'Stato', 'Rifiutato', 'Non contattare'],
  ...[
    '配信停止',
    '購読',
    '解除日',
    '同意',
    'ステータス',
    '退会',
    'オプトアウト',
    'バウンス',
    '苦情',
    'メルマガ',
  ],
  ...[
    'Toestemming',
    'Afgemeld',
    'Zgoda',
    'Samtycke',
    'Frameldt',
    'Souhlas',
    'Onay',
    'Согласие',
    'Отписан',
    '退订',
    '수신거부',
  ],
];

test('an unknown column that seems to be about consent, status, bounces or leaving stops the import with a question', async () => {
  const site = await listReceiver(app);
  for (const columns of [unknown.slice(0, 60), unknown.slice(60)]) {
    const rows = [columns.map(() => 'qwerty'), columns.map(() => '')].map((cells) => cells.join());
    const { questions, last } = await site.check(
      `Email,${columns}\nx@example.com,${rows.join('\ny@example.com,')}\n`,
    );
    expect(questions).toEqual(
      columns.map((column) => ({
        ...{ id: expect.stringMatching(/^q[0-9a-f]{12}$/), column, values: ['qwerty', ''] },
      })),
    );
    expect(last).toEqual({ counts: { created: 0, skipped: 0, refused: 0 } });
  }
  const [first = ''] = unknown;
  const list = `Email,${first}\nx@example.com,qwerty\n`;
  const [question] = (await site.check(list)).questions;
  expect(await site.import(list)).toMatchObject({
    told: [],
    last: {
      error: {
        code: 'validation_failed',
        fields: [
          {
            path: `answers.${question?.id}`,
            message: `the column "${first}" may decide who gets mail: list the values that mean consent, or ignore it`,
          },
        ],
      },
    },
  });
  expect(await site.subscribers()).toEqual({});
});

test.for([
  ['Kontakt', 'abgemeldet'],
  ['Wert', 'Unsubscribed'],
  ['X', 'hard bounce'],
  ['Info', 'désabonné'],
  ['', 'opted out'],
  ['Campo 7', 'dado de baja'],
  ['備考', '配信停止'],
])('a column %j causes a question if any row has a value such as %j', async ([column, value]) => {
  const site = await listReceiver(app);
  const rows = Array.from({ length: 500 }, (_, at) => `r${at}@example.com,note ${at % 5}\n`);
  const { questions } = await site.check(`Email,${column}\n${rows.join('')}x@example.com,${value}\n`);
  expect(questions).toEqual([
    {
      id: expect.any(String),
      column: column || 'column 2',
      values: ['note 0', 'note 1', 'note 2', 'note 3', 'note 4', value],
    },
  ]);
});

test('other columns cause no questions', async () => {
  const site = await listReceiver(app);
  const columns = [
    ...[
      'Company',
      'City',
      'State/Province',
      'Phone',
      'Straße',
      'Ort',
      'Trabajo',
      'Ciudad',
      'Ville',
      'Città',
      'Cidade',
      '会社名',
    ],
    ...[
      'Birthday',
      'Job title',
      'Notes',
      'Tags',
      'Total Spent',
      'Tax Exempt',
      'Accepts SMS Marketing',
      'LEID',
      'MEMBER_RATING',
    ],
    ...[
      'OPTIN_TIME',
      'LAST_CHANGED',
      'stripe_customer_id',
      'Emails opened (6mo)',
      'Language',
      'Vegetarian',
      'Lead Status',
    ],
  ];
  const list = `Email,${columns.join()}\nx@example.com,${columns.map(() => 'no').join()}\n`;
  expect((await site.check(list)).questions).toEqual([]);
  await site.import(list);
  expect(Object.keys(await site.subscribers())).toEqual(['x@example.com']);
});

test('an answer lists the values that mean consent; rows with other or missing values are skipped', async () => {
  const site = await listReceiver(app);
  const list =
    'Email,Einwilligung,Abo\na@example.com,ja,x\nb@example.com,JA,\nc@example.com,nein,x\nd@example.com,,x\n';
  const { questions } = await site.check(list);
  expect(questions.map(({ column, values }) => [column, values])).toEqual([
    ['Einwilligung', ['ja', 'nein', '']],
    ['Abo', ['x', '']],
  ]);
  const [consent = '', subscription = ''] = questions.map(({ id }) => id);
  const answers = { [consent]: { may_mail: ['ja'] }, [subscription]: 'ignore' as const };
  const told = [
    ['a@example.com', 'created', null],
    ['b@example.com', 'created', null],
    [
      'c@example.com',
      'skipped',
      'Not imported: you did not allow mail for “nein” in the column “Einwilligung”',
    ],
    [
      'd@example.com',
      'skipped',
      'Not imported: you did not allow mail for people without a value in the column “Einwilligung”',
    ],
  ];
  const checked = await site.check(list, { answers });
  expect([checked.questions, checked.told.toSorted()]).toEqual([questions, told]);
  expect((await site.import(list, { answers })).told.toSorted()).toEqual(told);
  expect(Object.keys(await site.subscribers())).toEqual(['a@example.com', 'b@example.com']);

  const withEmpty = { [consent]: { may_mail: ['ja', ''] }, [subscription]: { may_mail: ['x'] } };
  expect((await site.import(list, { answers: withEmpty })).told.toSorted()[3]).toEqual([
    'd@example.com',
    'created',
    null,
  ]);
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

test('the id of a question depends only on the column name, and is safe in a path', async () => {
  const site = await listReceiver(app);
  const idOf = async (column: string) =>
    (await site.check(`Email,${column}\nx@example.com,1\n`)).questions.map(({ id }) => id)[0];
  expect(await idOf('Abo-Status')).toBe(await idOf('abo_status'));
  expect(await idOf('__proto__ consent')).toMatch(/^q[0-9a-f]{12}$/);
  expect(await idOf('consent.a/b?c=d')).toMatch(/^q[0-9a-f]{12}$/);
});

test('a question shows at most 20 values, and no long one', async () => {
  const site = await listReceiver(app);
  const rows = Array.from({ length: 30 }, (_, at) => `r${at}@example.com,v${at}\n`);
  const { questions } = await site.check(
    `Email,Consent text\nx@example.com,${'long '.repeat(200)}\n${rows.join('')}`,
  );
  expect(questions).toMatchObject([
    { values: Array.from({ length: 20 }, (_, at) => `v${at}`), has_more_values: true },
  ]);
});

test('answers without a question, or in another form, are refused by name', async () => {
  const site = await listReceiver(app);
  const id = 'q0123456789ab';
  for (const file of ['Email\nx@example.com\n', JSON.stringify({ db: [{ data: { posts: [] } }] })])
    expect((await site.import(file, { answers: { [id]: 'ignore' } })).last).toMatchObject({
      error: {
        code: 'validation_failed',
        fields: [{ path: `answers.${id}`, message: 'the file has no question with this id' }],
      },
    });
  const malformed = [
    '{"Status":"ignore"}',
    `{"${id}":"yes"}`,
    `{"${id}":{"may_mail":["${'x'.repeat(501)}"]}}`,
  ];
  for (const answers of malformed)
    expect(
      await refusal(site.studio.transfers.import.mutate({ answers: JSON.parse(answers) })),
    ).toMatchObject({
      code: 'validation_failed',
    });
  const { url } = await site.studio.transfers.import.mutate({ answers: { [id]: 'ignore' } });
  for (const changed of ['{', '[]', '{"a":1}', `{"${id}":1}`])
    expect(
      await app.post(`${url.split('?', 1)}?answers=${encodeURIComponent(changed)}`, { body: 'Email\n' }),
    ).toMatchObject({ status: 400, body: { error: { code: 'validation_failed' } } });
});

test('a list with very many columns about mail is refused', async () => {
  const site = await listReceiver(app);
  const columns = Array.from({ length: 101 }, (_, at) => `Consent ${at}`);
  expect((await site.check(`Email,${columns.join()}\nx@example.com\n`)).last).toMatchObject({
    error: { code: 'validation_failed', message: expect.stringMatching(/^more than 100 columns/) },
  });
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

test('`ops import` prints how to answer, and accepts answers by column name', async () => {
  const siteId = await app.seed.site();
  const list =
    'Email,Can we mail?,Abo\na@example.com,"yes, please",1\nb@example.com,no,1\nc@example.com,,1\n';
  const file = await temporaryFile(list, 'people.csv');
  const run = (...options: string[]) =>
    runNode(['server/ops.ts', 'import', file, '--site', siteId, ...options], {
      DATABASE_URL: app.databaseUrl,
    });

  const unanswered = await run();
  expect(unanswered.exitCode).toBe(1);
  expect(unanswered.output).toContain('Column "Can we mail?" has the values "yes, please", "no", (empty).');
  expect(unanswered.output).toContain(`--answer 'Can we mail?="yes, please"'`);
  expect(unanswered.output).toContain(`--ignore-column 'Abo'`);
  const done = await run('--answer', 'Can we mail?="yes, please",', '--ignore-column', 'abo');
  expect(done).toMatchObject({
    exitCode: 0,
    output: expect.stringContaining('Created: 2; skipped: 1; refused: 0.'),
  });
  expect(
    await rowsOf(app, `select email from subscribers where site_id = '${siteId}' order by email`),
  ).toEqual([{ email: 'a@example.com' }, { email: 'c@example.com' }]);
});
