import { temporaryFile } from './archives.ts';
import { pictureElement } from './images.ts';
import { zipOf } from './zips.ts';

const ghostIds = (at: number) => `66a0c0ffee0000000000${String(at).padStart(4, '0')}`;

/** Creates an export of Ghost with posts, pages, tags, members and the additional tables of later versions. */
export const ghost = (version: string) => async () => {
  const row = (at: number, title: string, fields: object = {}) => ({
    ...{ id: ghostIds(at), uuid: `${at}`, title, slug: title.toLowerCase().replaceAll(' ', '-') },
    ...{
      html: `<p>${title} body</p>`,
      lexical: '{}',
      type: 'post',
      status: 'published',
      visibility: 'public',
    },
    ...{
      featured: 0,
      feature_image: null,
      custom_excerpt: null,
      codeinjection_head: null,
      canonical_url: null,
    },
    ...{ created_at: '2024-05-01T08:00:00.000Z', updated_at: '2024-05-04T08:00:00.000Z' },
    ...{ published_at: '2024-05-03T07:15:00.000Z' },
    ...fields,
  });
  const data = {
    posts: [
      row(1, 'Open', {
        html: '<p>Open body <a href="__GHOST_URL__/for-members/">linked</a> <a href="__GHOST_URL__/gone/">lost</a></p><img src="__GHOST_URL__/content/images/2024/05/shown.jpg">',
        feature_image: '__GHOST_URL__/content/images/2024/05/cover.jpg',
        custom_excerpt: 'A word before',
        codeinjection_head: '<script></script>',
        canonical_url: 'https://elsewhere.example/open',
      }),
      row(2, 'For members', { visibility: 'members' }),
      row(3, 'Paid', { visibility: 'paid' }),
      row(4, 'Draft', { status: 'draft', published_at: null }),
      row(5, 'Later', { status: 'scheduled', published_at: '2099-01-02T10:00:00.000Z' }),
      row(6, 'Page', { type: 'page' }),
      row(7, 'Paid page', { type: 'page', visibility: 'paid' }),
      row(8, 'By mail', { status: 'sent' }),
      row(9, 'Never rendered', { html: null }),
    ],
    posts_meta: [
      {
        ...{ id: 'm', post_id: ghostIds(1), meta_title: 'Open to search', meta_description: 'Found by all' },
        ...{ feature_image_alt: 'A shed', feature_image_caption: 'Photo: <a href="/x">Ada &amp; Ben</a>' },
      },
    ],
    tags: [
      { id: ghostIds(20), name: 'Hand tools', slug: 'hand-tools', visibility: 'public' },
      { id: ghostIds(21), name: '#hidden', slug: 'hash-hidden', visibility: 'internal' },
    ],
    posts_tags: [
      { id: '1', post_id: ghostIds(1), tag_id: ghostIds(20), sort_order: 0 },
      { id: '2', post_id: ghostIds(1), tag_id: ghostIds(21), sort_order: 1 },
    ],
    members: [
      { id: ghostIds(30), email: 'paying@example.com', name: 'Pay Ing', status: 'paid', subscribed: 1 },
      { id: ghostIds(31), email: 'free@example.com', name: '', status: 'free', subscribed: 0 },
    ],
    newsletters: [{ id: ghostIds(40), name: 'Letters' }],
    users: [{ id: ghostIds(41), name: 'Ada' }],
    settings: [
      { id: ghostIds(42), key: 'accent_color', value: '#b3412b' },
      {
        id: ghostIds(43),
        key: 'navigation',
        value: '[{"label":"Home","url":"/"},{"label":"About","url":"/about/"}]',
      },
      { id: ghostIds(44), key: 'stripe_secret_key', value: 'sk_live_secret' },
    ],
  };
  const file = JSON.stringify({ db: [{ meta: { exported_on: 1_753_891_082_041, version }, data }] });
  return temporaryFile(
    zipOf({
      'data/shed.ghost.2024-07-30.json': file,
      'content/images/2024/05/shown.jpg': await pictureElement('jpeg', { width: 60 }),
      'content/images/2024/05/cover.jpg': await pictureElement('jpeg', { width: 90 }),
    }),
    'ghost.zip',
  );
};

export const ofGhost = {
  open: {
    Open: ['free', '2024-05-03T07:15:00.000Z'],
    'For members': ['registered', '2024-05-03T07:15:00.000Z'],
    Paid: ['members', '2024-05-03T07:15:00.000Z'],
    Page: ['', null],
  },
  closed: ['Draft', 'Later', 'Paid page', 'By mail'],
  there: [
    ...[
      'Open body',
      'href=\\"/posts/for-members\\"',
      'shown.jpg',
      'cover.jpg',
      'Hand tools',
      'A word before',
    ],
    ...[
      'Open to search',
      'Found by all',
      'Draft body',
      'Page body',
      'A shed',
      'Photo: Ada & Ben',
      '2099-01-02 10:00:00.000Z',
    ],
    ...['paying@example.com', 'free@example.com', '"/open"', '"/paid"'],
  ],
  told: [
    ...[
      '__GHOST_URL__/gone/',
      'Internal tags not imported: #hidden',
      'Fields not imported: canonical_url, codeinjection_head',
    ],
    ...['accent_color: #b3412b; navigation: Home (/), About (/about/)'],
    ...['only in the format of Ghost’s editor', 'newsletters', 'users', 'sent by email only'],
  ],
} as const;
