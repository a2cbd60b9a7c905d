import { expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { temporaryFile } from '../support/archives.ts';
import { draft, importInto } from '../support/imported-states.ts';
import { zipOf } from '../support/zips.ts';

test('content that Ghost hides from visitors is a draft with a note, or gated by its tier', async () => {
  await using app = await startApp();
  const past = '2024-01-02T10:00:00.000Z';
  const later = '2099-01-02T10:00:00.000Z';
  const row = (title: string, fields: object) => ({
    ...{ id: title, title, html: '<p>.</p>', type: 'post', status: 'published', visibility: 'public' },
    ...{ created_at: past, published_at: past },
    ...fields,
  });
  const gated =
    '<p>For all</p><!--kg-gated-block:begin nonMember:false memberSegment:"status:free,status:-free" --><p>For members</p><!--kg-gated-block:end-->';
  const posts = [
    row('Draft', { status: 'draft', published_at: null }),
    row('Scheduled', { status: 'scheduled', published_at: later }),
    row('By mail, later', { status: 'scheduled', published_at: later }),
    row('By mail, with odd texts', { status: 'scheduled', published_at: later, feature_image_alt: 5 }),
    row('Was due', { status: 'scheduled' }),
    row('Undated', { status: 'scheduled', published_at: null }),
    row('Unknown', { status: 'archived' }),
    row('Dated ahead', { published_at: later }),
    row('By mail', { status: 'sent' }),
    row('Partly', { html: gated }),
    row('For visitors', { html: gated.replace('nonMember:false', 'nonMember:true') }),
    row('Public', {}),
    row('Public page', { type: 'page' }),
    row('Paid page', { type: 'page', visibility: 'paid' }),
    row('Members page', { type: 'page', visibility: 'members' }),
    row('Scheduled page', { type: 'page', status: 'scheduled', published_at: later }),
  ];
  const odd = { meta_title: 5, meta_description: [], feature_image_alt: 5, feature_image_caption: {} };
  const posts_meta = [
    { post_id: 'By mail, later', email_only: 1 },
    { post_id: 'By mail, with odd texts', email_only: true, ...odd },
  ];
  const file = await temporaryFile(JSON.stringify({ db: [{ data: { posts, posts_meta } }] }), 'ghost.json');

  expect(await importInto(app, file)).toEqual({
    Draft: ['draft', 'Imported as a draft: the original was a draft'],
    Scheduled: ['scheduled', 'Scheduled: it will be published on 2099-01-02 10:00 UTC'],
    'By mail, later': ['draft', 'Imported as a draft: the original was an unsent email'],
    'By mail, with odd texts': ['draft', 'Imported as a draft: the original was an unsent email'],
    'Was due': [
      'draft',
      'Imported as a draft: its publication was scheduled for 2024-01-02 10:00 UTC, which has passed',
    ],
    Undated: ['draft', 'Imported as a draft: its scheduled date is missing or cannot be read'],
    Unknown: ['draft', 'Imported as a draft: the original had the unknown status “archived”'],
    'Dated ahead': ['draft', 'Imported as a draft: its date is in the future (2099-01-02 10:00 UTC)'],
    'By mail': ['private', 'Imported as private: the original was sent by email only'],
    Partly: ['draft', 'Imported as a draft: a part of the original was for members only'],
    'For visitors': ['public', null],
    Public: ['public', null],
    'Public page': ['public', null],
    'Paid page': [
      'draft',
      'Imported as a draft: the original was not for everyone (paid), and pages have no access tiers',
    ],
    'Members page': [
      'draft',
      'Imported as a draft: the original was not for everyone (members), and pages have no access tiers',
    ],
    'Scheduled page': ['scheduled', 'Scheduled: it will be published on 2099-01-02 10:00 UTC'],
  });
});

test('content that WordPress hides from visitors is a draft with a note', async () => {
  await using app = await startApp();
  let id = 0;
  const item = (title: string, fields: Readonly<Record<string, string>>, more = '') => {
    id += 1;
    const all = {
      ...{ 'wp:post_id': String(id), 'wp:post_type': 'post', 'wp:status': 'publish', 'wp:post_password': '' },
      ...{
        'wp:post_date': '2024-01-02 11:00:00',
        'wp:post_date_gmt': '2024-01-02 10:00:00',
        'content:encoded': '.',
      },
      ...fields,
    };
    const tags = Object.entries(all).map(([name, text]) => `<${name}><![CDATA[${text}]]></${name}>`);
    return `<item><title>${title}</title>${tags.join('')}${more}</item>`;
  };
  const meta = (key: string, value: string) =>
    `<wp:postmeta><wp:meta_key>${key}</wp:meta_key><wp:meta_value><![CDATA[${value}]]></wp:meta_value></wp:postmeta>`;
  const later = { 'wp:post_date_gmt': '2099-01-02 10:00:00' };
  const items = [
    item('Draft', { 'wp:status': 'draft', 'wp:post_date_gmt': '0000-00-00 00:00:00' }),
    item('Pending', { 'wp:status': 'pending' }),
    item('Private', { 'wp:status': 'private' }),
    item('Private page', { 'wp:status': 'private', 'wp:post_type': 'page' }),
    item('Password', { 'wp:post_password': 'hush' }),
    item('Password, later', { 'wp:post_password': 'hush', 'wp:status': 'future', ...later }),
    item('Future', { 'wp:status': 'future', ...later }),
    item('Future that has passed', { 'wp:status': 'future' }),
    item('Dated ahead', later),
    item('Of a plugin', { 'wp:status': 'archive' }),
    item('Called as what all objects have', { 'wp:status': 'constructor' }),
    item('For subscribers', {}, meta('_jetpack_newsletter_access', 'paid_subscribers')),
    item('For everybody', {}, meta('_jetpack_newsletter_access', 'everybody')),
    item('Partly', {
      'content:encoded':
        '<!-- wp:premium-content/container --><p>Paid</p><!-- /wp:premium-content/container -->',
    }),
    item('By a block', {
      'content:encoded':
        '<!-- wp:pmpro/membership {"levels":["1"]} --><p>Paid</p><!-- /wp:pmpro/membership -->',
    }),
    item('For patrons', {}, meta('patreon-level', '5')),
    item('For no patrons', {}, meta('patreon-level', '0')),
    item('By a shortcode', { 'content:encoded': 'Free [members_only]Paid[/members_only]' }),
    item('By any plugin', {}, meta('_swpm_protect_post', '2')),
    item('Open to a plugin', {}, meta('_wc_memberships_force_public', 'no')),
    item('A hidden block', {
      'content:encoded':
        '<!-- wp:paragraph {"metadata":{"blockVisibility":false}} --><p>Hidden</p><!-- /wp:paragraph -->',
    }),
    item('Signed in', { 'content:encoded': 'Free [is_logged_in]Paid[/is_logged_in]' }),
    item('Not indexed', {}, meta('_yoast_wpseo_meta-robots-noindex', '1')),
    item('To end', {}, meta('_expiration-date', '4070908800')),
    item('Near, without UTC', {
      'wp:post_date_gmt': '0000-00-00 00:00:00',
      'wp:post_date': '2026-01-30 22:00:00',
    }),
    item('Public', {}),
    item('Without a moment in UTC', { 'wp:post_date_gmt': '0000-00-00 00:00:00' }),
  ];
  const file = await temporaryFile(`<rss><channel>${items.join('')}</channel></rss>`, 'wordpress.xml');

  expect(await importInto(app, file)).toEqual({
    Draft: ['draft', 'Imported as a draft: the original was a draft'],
    Pending: ['draft', 'Imported as a draft: the original was waiting for review'],
    Private: ['draft', 'Imported as a draft: the original was private'],
    'Private page': ['draft', 'Imported as a draft: the original was private'],
    Password: ['draft', 'Imported as a draft: the original has a password'],
    'Password, later': ['draft', 'Imported as a draft: the original has a password'],
    Future: ['scheduled', 'Scheduled: it will be published on 2099-01-02 10:00 UTC'],
    'Future that has passed': [
      'draft',
      'Imported as a draft: its publication was scheduled for 2024-01-02 10:00 UTC, which has passed',
    ],
    'Dated ahead': ['draft', 'Imported as a draft: its date is in the future (2099-01-02 10:00 UTC)'],
    'Of a plugin': ['draft', 'Imported as a draft: the original had the unknown status “archive”'],
    'Called as what all objects have': draft('the original had the unknown status “constructor”'),
    'For subscribers': [
      'draft',
      'Imported as a draft: the plugin field _jetpack_newsletter_access restricts who may read the original',
    ],
    'For everybody': ['public', null],
    Partly: [
      'draft',
      'Imported as a draft: a part of the original was not for everyone (<!-- wp:premium-content/container)',
    ],
    'By a block': [
      'draft',
      'Imported as a draft: a part of the original was not for everyone (<!-- wp:pmpro/membership)',
    ],
    'For patrons': [
      'draft',
      'Imported as a draft: the plugin field patreon-level restricts who may read the original',
    ],
    'For no patrons': ['public', null],
    'By a shortcode': [
      'draft',
      'Imported as a draft: a part of the original was not for everyone ([members_). Shortcodes shown as plain text: members_only',
    ],
    'By any plugin': draft('the plugin field _swpm_protect_post restricts who may read the original'),
    'Open to a plugin': ['public', null],
    'A hidden block': draft('a part of the original was not for everyone ("blockVisibility":)'),
    'Signed in': [
      'draft',
      'Imported as a draft: a part of the original was not for everyone ([is_logged_in). Shortcodes shown as plain text: is_logged_in',
    ],
    'Not indexed': ['unlisted', 'Imported as unlisted: the original was hidden from search engines'],
    'To end': ['public', 'Expiry date not imported: it stays public until you unpublish it'],
    'Near, without UTC': draft('its date is in the future (2026-01-31 10:00 UTC)'),
    Public: ['public', null],
    'Without a moment in UTC': ['public', null],
  });

  const ruled = [item('Ruled', {}), item('A rule', { 'wp:post_type': 'memberpressrule' })];
  const other = await temporaryFile(`<rss><channel>${ruled.join('')}</channel></rss>`, 'ruled.xml');
  expect(await importInto(app, other)).toEqual({
    Ruled: draft('the old site has access rules of a membership plugin, which imports cannot read'),
  });
});

test('a private Ghost site, and posts that its routes may hide, are imported as drafts', async () => {
  await using app = await startApp();
  let id = 0;
  const post = (title: string, type: string) => ({
    ...{ id: String(++id), title, html: '<p>.</p>', type, status: 'published', visibility: 'public' },
    ...{ created_at: '2024-01-02T10:00:00.000Z', published_at: '2024-01-02T10:00:00.000Z' },
  });
  const exported = (more: object = {}) =>
    JSON.stringify({ db: [{ data: { posts: [post('Post', 'post'), post('Page', 'page')], ...more } }] });
  const closed = exported({ settings: [{ key: 'is_private', value: 'true' }] });
  expect(await importInto(app, await temporaryFile(closed, 'ghost.json'))).toEqual({
    Post: draft('the old site had a password'),
    Page: draft('the old site had a password'),
  });
  const routed = async (...filters: string[]) => {
    const each = filters.map(
      (filter, at) => `  /${at}/:\n    permalink: /${at}/{slug}/\n    filter: '${filter}'\n`,
    );
    const routes = `collections:\n${each.join('')}`;
    return importInto(
      app,
      await temporaryFile(zipOf({ 'a.json': exported(), 'routes.yaml': routes }), 'a.zip'),
    );
  };
  expect(await routed('tag:news')).toMatchObject({
    Post: ['draft', expect.stringContaining('routes.yaml publishes only some posts')],
    Page: ['public', null],
  });
  expect(await routed('tag:news', 'tag:-news')).toMatchObject({ Post: ['public', null] });
});

test('a Substack post with a paid part is a draft if it was open to other readers', async () => {
  await using app = await startApp();
  const audiences = ['everyone', 'only_free', 'only_paid'];
  const list = audiences.map((audience, at) => `${at}.a${at},true,newsletter,${audience},${audience}\n`);
  const text = '<p>Open</p><div class="paywall-jump"></div><p>Paid</p>';
  const zip = zipOf({
    'posts.csv': `post_id,is_published,type,audience,title\n${list.join('')}`,
    ...Object.fromEntries(audiences.map((_, at) => [`posts/${at}.a${at}.html`, text])),
  });
  const hidden = draft('a part of the original was for paying readers only');
  expect(await importInto(app, await temporaryFile(zip, 'substack.zip'))).toEqual({
    everyone: hidden,
    only_free: hidden,
    only_paid: ['public', null],
  });
});
