import { afterAll, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { rowsOf, temporaryFile } from '../support/archives.ts';
import { runNode } from '../support/process.ts';
import { refusal } from '../support/rpc.ts';
import { listReceiver } from '../support/sent-lists.ts';

const app = await startApp();
afterAll(() => app[Symbol.asyncDispose]());

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
